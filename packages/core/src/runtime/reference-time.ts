import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { DeadlineError, withDeadline } from './deadline.ts';

const ASK_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 1_000;
/** A process that has not read the time for this long is taken to have ended. */
const LOOKS_WITHIN_MS = 5_000;
const ASKS_WITHIN_MS = 25_000;
/** A response that took longer would be too imprecise. */
const ASK_DEADLINE_MS = 1_000;
/** How many times the first reading is tried. At the start of an installation, responses may be slow. */
const FIRST_TRIES = 10;
/** The smallest difference of the machine's clock to warn about. */
const WARN_FROM_MS = 1_000;

/** The clock that all processes on a database can read. It may be wrong, and may be set at any moment. */
export interface ReferenceTime {
  /** Epoch milliseconds; null until the time is first known. */
  now(): number | null;
  /** Rejects if the time cannot be read. */
  startFollowing(): Promise<void>;
  /** Reads the time; called every `everyMs`. Rejects if the time cannot be read; `now` continues regardless. */
  refresh(): Promise<void>;
  readonly everyMs: number;
  /** The longest time between two calls of `refresh` by a running process, even if it is slow. */
  readonly withinMs: number;
}

/**
 * Returns the time of the database if it has one; otherwise all processes share a machine, and the time is that of its
 * clock.
 */
export function referenceTime(local: Clock, storage: Storage<unknown>, logger: Logger): ReferenceTime {
  const serverTime = storage.serverTime?.bind(storage);
  return serverTime ? timeOfServer(local, { serverTime, logger }) : timeOfMachine(local);
}

function timeOfMachine(local: Clock): ReferenceTime {
  const nothing = async (): Promise<void> => {};
  return {
    now: () => local.now(),
    startFollowing: nothing,
    refresh: nothing,
    everyMs: LOOK_EVERY_MS,
    withinMs: LOOKS_WITHIN_MS,
  };
}

/**
 * Between two responses, time follows the monotonic clock, so setting the machine's clock, by hand or by its
 * time service, has no effect. A response counts for the middle of its round trip.
 */
function timeOfServer(
  local: Clock,
  { serverTime, logger }: { readonly serverTime: () => Promise<number>; readonly logger: Logger },
): ReferenceTime {
  let known: { readonly time: number; readonly at: number } | null = null;
  let warned = false;

  const refresh = async (): Promise<void> => {
    const askedAt = local.elapsed();
    const time = await withDeadline(
      local,
      { what: "Asking for the database's time", ms: ASK_DEADLINE_MS },
      serverTime(),
    );
    const respondedAt = local.elapsed();
    known = { time, at: (askedAt + respondedAt) / 2 };
    warnOfDifference(local.now() - (time + respondedAt - known.at));
  };

  const warnOfDifference = (aheadMs: number): void => {
    const isWrong = Math.abs(aheadMs) >= WARN_FROM_MS;
    if (isWrong && !warned)
      logger.warn(
        { aheadMs: Math.round(aheadMs) },
        "this machine's clock differs from the database's, which counts: set this machine's clock by NTP, and that of the database, too",
      );
    warned = isWrong;
  };

  return {
    now: () => known && known.time + local.elapsed() - known.at,
    refresh,
    everyMs: ASK_EVERY_MS,
    withinMs: ASKS_WITHIN_MS,
    async startFollowing() {
      for (let tries = 1; ; tries += 1) {
        try {
          return await refresh();
        } catch (error) {
          if (!(error instanceof DeadlineError) || tries === FIRST_TRIES) throw error;
        }
      }
    },
  };
}
