/** Returns a wait that doubles with each failure in a row, from `firstMs` at 0 failures up to `longestMs`. */
export function doublingDelay(
  failures: number,
  { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number },
): number {
  return Math.min(longestMs, firstMs * 2 ** Math.max(0, failures));
}

/** How long to leave an instance idle after its work failed `failures` times in a row, for example on a full disk. */
export function writeRetryDelay(failures: number): number {
  return doublingDelay(failures - 1, { firstMs: 500, longestMs: 10_000 });
}

/**
 * How long to wait before connecting again after a connection failed or ended; `failures` counts the failures in a row
 * before that one. The wait doubles from one second to a minute, and is shortened by up to half so that many instances
 * do not reconnect together.
 * `jitter` is in [0, 1).
 */
export function reconnectDelay(failures: number, jitter: number): number {
  return shortened(doublingDelay(failures, { firstMs: 1_000, longestMs: 60_000 }), jitter);
}

/** The first spacings are short because a few drops may be chance; repeated drops are not. */
const LOGIN_SPACINGS_MS = [1_000, 2_000, 4_000, 8_000, 30_000] as const;
const LONGEST_SPACING_MS = 300_000;

/**
 * The least time between two logins, after `unstable` (1 or more) connections in a row that opened and soon ended,
 * shortened as in `reconnectDelay`. The network restricts numbers that log in again and again: if it ends each
 * connection as soon as it opens, these spacings allow at most eight logins in the first five minutes.
 */
export function loginSpacing(unstable: number, jitter: number): number {
  return shortened(LOGIN_SPACINGS_MS[unstable - 1] ?? LONGEST_SPACING_MS, jitter);
}

function shortened(full: number, jitter: number): number {
  return Math.round(full * (1 - jitter / 2));
}
