import { readdirSync, readFileSync } from 'node:fs';

/** The ticks of `/proc/<pid>/stat` in a second on Linux. */
const TICKS_A_SECOND = 100;

interface Stat {
  readonly parent: number;
  /** CPU seconds. */
  readonly own: number;
  readonly ofEnded: number;
}

/** The CPU seconds that these processes and all ended children of this process have used. */
export function cpuOfChildren(pids: readonly number[]): number {
  const running = pids.reduce((sum, pid) => sum + (statOf(pid)?.own ?? 0), 0);
  return running + (statOf(process.pid)?.ofEnded ?? 0);
}

/** Null if not known. */
export function parentOf(pid: number): number | null {
  return statOf(pid)?.parent ?? null;
}

/** The CPU seconds that a process and its running and ended children have used; NaN if the process does not exist. */
export function cpuOfFamily(parent: number | null): number {
  const server = parent === null ? null : statOf(parent);
  if (!server) return Number.NaN;
  const children = readdirSync('/proc')
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent === parent);
  return children.reduce((sum, stat) => sum + (stat?.own ?? 0), server.own + server.ofEnded);
}

/** Null if the process does not exist, or the system has no /proc. */
function statOf(pid: number): Stat | null {
  if (!Number.isInteger(pid)) return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The fields follow the name in brackets, which may contain any characters.
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
