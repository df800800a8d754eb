/** Waits that double from the first to the longest: how long to wait after so many failures in a row, from 0 on. */
export function doublingDelay(
  failures: number,
  { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number },
): number {
  return Math.min(longestMs, firstMs * 2 ** Math.max(0, failures));
}

/** How long to leave an instance alone after `failures` writes in a row that failed, as on a full disk. */
export function writeRetryDelay(failures: number): number {
  return doublingDelay(failures - 1, { firstMs: 500, longestMs: 10_000 });
}

/**
 * How long to wait before connecting again after `failures` connections in a row that did not open: doubling from one
 * second to a minute, each wait shortened by up to half so that many instances do not come back at the same time.
 * `jitter` is in [0, 1).
 */
export function reconnectDelay(failures: number, jitter: number): number {
  const full = doublingDelay(failures, { firstMs: 1_000, longestMs: 60_000 });
  return Math.round(full * (1 - jitter / 2));
}
