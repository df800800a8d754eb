import { readdirSync, readFileSync } from 'node:fs';

/** The ticks of `/proc/<pid>/stat` in a second on Linux. */
const TICKS_A_SECOND = 100;

interface Stat {
  readonly parent: number;
  /** CPU seconds. */
  readonly own: number;
  /** The seconds of its children that have ended. */
  readonly ofEnded: number;
}

/** The CPU seconds that these processes have used, and those that this process has started and that have ended. */
export function cpuOfChildren(pids: readonly number[]): number {
  const running = pids.reduce((sum, pid) => sum + (statOf(pid)?.own ?? 0), 0);
  return running + (statOf(process.pid)?.ofEnded ?? 0);
}

/** The process that has started this one; null if it is not known. */
export function parentOf(pid: number): number | null {
  return statOf(pid)?.parent ?? null;
}

/** The CPU seconds that a process and its children, also ended ones, have used; NaN if there is no such process. */
export function cpuOfFamily(parent: number | null): number {
  const server = parent === null ? null : statOf(parent);
  if (!server) return Number.NaN;
  const children = readdirSync('/proc')
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent === parent);
  return children.reduce((sum, stat) => sum + (stat?.own ?? 0), server.own + server.ofEnded);
}

/** Null if there is no such process, as on a system without /proc. */
function statOf(pid: number): Stat | null {
  if (!Number.isInteger(pid)) return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name in brackets, which may hold anything.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = (...indexes: readonly number[]): number =>
      indexes.reduce((sum, index) => sum + (fields[index] ?? 0), 0) / TICKS_A_SECOND;
    return { parent: fields[1] ?? 0, own: ticks(11, 12), ofEnded: ticks(13, 14) };
  } catch {
    return null;
  }
}
