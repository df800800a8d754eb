import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** CPU seconds that the file cost in its process, and in child processes that have ended. */
    cpuSeconds?: number;
  }
}

const TICKS_PER_SECOND = 100; // of /proc on every architecture that Node supports

/** Holds the cost of the previous files, in a process that runs several files one after another. */
const state: { measuredCpuSeconds?: number } = globalThis as object;

// Registered before the file's own hooks, so it runs after them, when they have ended everything that the file started.
// oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures the hook takes
afterAll(({}, suite) => {
  const total = cpuSeconds();
  suite.file.meta.cpuSeconds = total - (state.measuredCpuSeconds ?? 0);
  state.measuredCpuSeconds = total;
});

/** Without `/proc`, as on macOS, only this process counts. */
function cpuSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // Fields 14 to 17 of proc(5): user and system time of the process, then of its children. Field 2 may contain
    // spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
}
