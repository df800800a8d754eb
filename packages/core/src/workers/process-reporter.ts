import type { ProcessMonitor } from '../ports/process-monitor.ts';
import { createLoop } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';

const REPORT_EVERY_MS = 30_000;
/** How long a process that died is shown, so that an operator who looks later sees it. */
const FORGET_AFTER_MS = 3_600_000;

export interface ReporterOptions {
  /** The name under which this process holds instances. */
  readonly name: string;
  readonly roles: () => readonly string[];
  readonly monitor: ProcessMonitor | undefined;
}

export interface ProcessReporter {
  start(): void;
  /** Withdraws the report, so that a stopped process is not shown as if it had died. */
  stop(): Promise<void>;
}

/** Reports every half minute that this process runs, with its vitals, for `admin.processes()`. */
export function createProcessReporter(
  { storage: { processes }, clock, logger }: ServiceContext,
  { name, roles, monitor }: ReporterOptions,
): ProcessReporter {
  const startedAt = clock.now();
  const loop = createLoop({
    name: 'process report',
    clock,
    logger,
    everyMs: REPORT_EVERY_MS,
    pass: async () => {
      const now = clock.now();
      const report = { name, roles: roles(), startedAt, reportedAt: now, vitals: monitor?.read() ?? null };
      await processes.report(report, { now, since: now - FORGET_AFTER_MS });
      return { more: false, nextAt: null };
    },
  });
  return {
    start: loop.start,
    async stop() {
      await loop.stop();
      await processes.withdraw(name).catch((error: unknown) => {
        logger.debug({ err: error, process: name }, 'the report of a process that ends stays for an hour');
      });
    },
  };
}
