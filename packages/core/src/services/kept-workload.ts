import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Workload } from '../ports/storage/workload-store.ts';
import { withDeadline } from '../runtime/deadline.ts';

/** The highest number counted to, so that an export reads only a small part of an index. */
const COUNT_MAX = 10_000;
/** How long a reading is reused, because several exporters may ask often. */
const KEPT_MS = 5_000;
/** A database that hangs must not keep the other metrics from being exported. */
const READ_WITHIN_MS = 5_000;

export interface KeptWorkload {
  /** Returns a workload that is at most a few seconds old. Rejects if the storage fails. */
  read(): Promise<Workload>;
  /** For exporters: like `read`, but logs a failure and returns null. */
  readOrNull(): Promise<Workload | null>;
}

/** Reads the workload only on request, and at most once every few seconds. */
export function keptWorkload({
  storage,
  clock,
  logger,
}: {
  readonly storage: Pick<Storage<unknown>, 'workload'>;
  readonly clock: Clock;
  readonly logger: Logger;
}): KeptWorkload {
  let kept: Reading | null = null;

  const latest = (): Reading => {
    const since = clock.elapsed();
    // A failed reading is kept, too, so that a database in trouble is not asked more often.
    if (kept && since - kept.since < KEPT_MS) return kept;
    const reading = storage.workload.read({ now: clock.now(), limit: COUNT_MAX });
    const workload = withDeadline(clock, { what: 'Reading the workload', ms: READ_WITHIN_MS }, reading);
    const orNull = workload.catch((error: unknown) => {
      logger.warn(
        { err: error },
        'open work could not be counted, so its metrics are NaN until it can be: check the database',
      );
      return null;
    });
    kept = { since, workload, orNull };
    return kept;
  };

  return { read: () => latest().workload, readOrNull: () => latest().orNull };
}

interface Reading {
  /** The start, by `Clock.elapsed()`. */
  readonly since: number;
  readonly workload: Promise<Workload>;
  readonly orNull: Promise<Workload | null>;
}
