import { readFileSync, readlinkSync } from 'node:fs';

/** The facts that distinguish a process from all others, on any machine. */
export interface ProcessIdentity {
  /** The boot id of the running kernel. Empty if the system does not report it. */
  readonly machine: string;
  /** The namespaces of `pid` and `startedAt`, because each container numbers its own processes. */
  readonly namespace: string;
  /** The process id within `namespace`. */
  readonly pid: number;
  /** Kernel ticks from boot to the start of the process. Empty if the system does not report it. */
  readonly startedAt: string;
}

/** The identity of this process, by which other processes on the machine can tell whether it still runs. */
export function thisProcess(): ProcessIdentity {
  const known = { machine: '', namespace: '', pid: process.pid, startedAt: '' };
  try {
    return {
      ...known,
      machine: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      // Include the time namespace, because it shifts start times.
      namespace: `${readlinkSync('/proc/self/ns/pid')} ${readlinkSync('/proc/self/ns/time')}`,
      startedAt: readStatus('self').startedAt,
    };
  } catch {
    // The system is not Linux, or hides these files.
    return known;
  }
}

/**
 * Returns the state of a process, as far as this process can see. `ended` is certain: the process id is free, or
 * belongs to a process that started at another time or is a zombie. A process that is frozen or that cannot
 * be read counts as `running`. A process of another machine or container is `unknown`.
 */
export function stateOf({
  machine,
  namespace,
  pid,
  startedAt,
}: ProcessIdentity): 'running' | 'ended' | 'unknown' {
  const own = thisProcess();
  if (machine !== own.machine || namespace !== own.namespace) return 'unknown';
  if (!exists(pid)) return 'ended';
  if (startedAt === '') return 'running';
  try {
    const status = readStatus(String(pid));
    return status.startedAt !== startedAt || status.isZombie ? 'ended' : 'running';
  } catch {
    return 'running';
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Other errors (EPERM) mean that the process exists and belongs to another user.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/**
 * See https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html. The name in parentheses may hold any
 * characters, even parentheses.
 */
function readStatus(pid: string): { readonly startedAt: string; readonly isZombie: boolean } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, threads, startedAt] = [fields[0], fields[17], fields[19]];
  if (state === undefined || threads === undefined || startedAt === undefined) {
    throw new Error(
      `/proc/${pid}/stat does not have the fields of proc_pid_stat(5): check that /proc is that of Linux.`,
    );
  }
  // Remaining threads may still hold the process's sockets and locks.
  return { startedAt, isZombie: /^[ZX]$/.test(state) && Number(threads) <= 1 };
}
