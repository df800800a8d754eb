const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

const FIRST_WRITE_MS = 500;
const LONGEST_WRITE_MS = 10_000;

/** How long to leave an instance alone after `failures` writes in a row that failed, as on a full disk. */
export function writeRetryDelay(failures: number): number {
  return Math.min(LONGEST_WRITE_MS, FIRST_WRITE_MS * 2 ** Math.max(0, failures - 1));
}

/**
 * How long to wait before connecting again after `failures` connections in a row that did not open: doubling from one
 * second to a minute, each wait shortened by up to half so that many instances do not come back at once.
 * `jitter` is in [0, 1).
 */
export function reconnectDelay(failures: number, jitter: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures));
  return Math.round(full * (1 - jitter / 2));
}
