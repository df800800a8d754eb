import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { createLoop } from './loop.ts';
import { DeadlineError, withDeadline } from './with-deadline.ts';

const ASK_EVERY_MS = 10_000;
/** An answer that took longer says too little. */
const ASK_DEADLINE_MS = 1_000;
/** The first answers may take longer than later ones: connections are being made, and everything starts at once. */
const FIRST_TRIES = 10;
/** From here on somebody should mend the machine's clock. */
const TELL_FROM_MS = 1_000;

/** A clock that goes by a server's time, and how to keep it so. */
export interface ServerClock {
  readonly clock: Clock;
  /** Asks for the time and from then on every 10 s. Rejects when it cannot be had the first time. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Between two answers time goes on evenly: setting the machine's clock, by hand or by its time service, has no effect.
 * An answer is taken to be from the middle of the time that it took.
 */
export function serverClock(
  local: Clock,
  { serverTime, logger }: { readonly serverTime: () => Promise<number>; readonly logger: Logger },
): ServerClock {
  let known: { readonly time: number; readonly at: number } | null = null;
  let told = false;

  const clock: Clock = {
    now: () => (known ? Math.round(known.time + local.elapsed() - known.at) : local.now()),
    elapsed: local.elapsed,
    setTimer: local.setTimer,
  };

  const ask = async (): Promise<void> => {
    const askedAt = local.elapsed();
    const time = await withDeadline(
      local,
      { what: "Asking for the database's time", ms: ASK_DEADLINE_MS },
      serverTime(),
    );
    known = { time, at: (askedAt + local.elapsed()) / 2 };
    tellOfDifference(local.now() - clock.now());
  };

  const askAtFirst = async (): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof DeadlineError) || tries === FIRST_TRIES) throw error;
      }
    }
  };

  const tellOfDifference = (aheadMs: number): void => {
    const isWrong = Math.abs(aheadMs) >= TELL_FROM_MS;
    if (isWrong && !told)
      logger.warn({ aheadMs }, "this machine's clock differs from the database's, which counts");
    told = isWrong;
  };

  const loop = createLoop({
    name: 'server clock',
    clock: local,
    logger,
    everyMs: ASK_EVERY_MS,
    pass: async () => {
      await ask();
      return { more: false, nextAt: null };
    },
  });

  return {
    clock,
    async start() {
      await askAtFirst();
      loop.start();
    },
    stop: loop.stop,
  };
}
