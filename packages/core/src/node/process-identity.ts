import { readFileSync, readlinkSync } from 'node:fs';

/** What distinguishes a process from every other one, on this machine and elsewhere. */
export interface ProcessIdentity {
  /** The running kernel: its boot id. Empty where the system does not say. */
  readonly machine: string;
  /** Where its number and its start time count: containers have numbers of their own. */
  readonly namespace: string;
  readonly pid: number;
  /** In the kernel's ticks since it booted. Empty where the system does not say. */
  readonly startedAt: string;
}

/** The identity of this very process. */
export function thisProcess(): ProcessIdentity {
  const known = { machine: '', namespace: '', pid: process.pid, startedAt: '' };
  try {
    return {
      ...known,
      machine: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      // The namespace of time, too: start times are shifted by it.
      namespace: `${readlinkSync('/proc/self/ns/pid')} ${readlinkSync('/proc/self/ns/time')}`,
      startedAt: readStatus('self').startedAt,
    };
  } catch {
    // Not Linux, or one that keeps these to itself.
    return known;
  }
}

/**
 * The state of a process, as far as this one can see. `ended` is certain: no process with its number is left, or
 * that number belongs to one which started at another time, or all that is left is the exit code for its parent. One
 * that is frozen is `running`, and so is one of which nothing can be read. `unknown` is one of another machine or container.
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
    // Others (EPERM) mean that it is there, and somebody else's.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** Fields of https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html, the name in parentheses may hold anything. */
function readStatus(pid: string): { readonly startedAt: string; readonly isZombie: boolean } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, threads, startedAt] = [fields[0], fields[17], fields[19]];
  if (state === undefined || threads === undefined || startedAt === undefined) {
    throw new Error(
      `/proc/${pid}/stat does not have the fields of proc_pid_stat(5): check that /proc is that of Linux.`,
    );
  }
  // Threads that are left may still hold its sockets and locks.
  return { startedAt, isZombie: /^[ZX]$/.test(state) && Number(threads) <= 1 };
}
