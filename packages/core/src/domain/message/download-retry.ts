import { doublingDelay } from '../backoff.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a message waits for its file before it is stored without the file. */
export const FIRST_DOWNLOAD_MS = 30_000;

/** How long the service keeps asking for a file that did not come in time. */
export const DOWNLOAD_GIVEN_UP_MS: number = 24 * HOUR_MS;

/**
 * The maximum number of files that one instance waits for, because a stranger may send any number of files whose
 * downloads fail.
 */
export const MAX_PENDING_DOWNLOADS = 10_000;

/** The maximum size of a gateway's reference to a file. */
export const MAX_REFERENCE_BYTES = 16_384;

/** How long to wait after `tries` failed downloads of one file: from a minute, doubled each time, to an hour. */
export function downloadRetryDelay(tries: number): number {
  return doublingDelay(tries - 1, { firstMs: MINUTE_MS, longestMs: HOUR_MS });
}

/**
 * A bound on the time of the next download, above every wait of `downloadRetryDelay`. A later time was written before
 * the clock was set back.
 */
export function latestDownload(now: number): number {
  return now + 2 * HOUR_MS;
}
