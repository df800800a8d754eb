/** How many seconds the timestamp of a request may be off by default, in either direction. */
export const DEFAULT_TOLERANCE_SECONDS = 300;

/** ASCII digits only: `Number()` also accepts `1e10`, ` 123`, `0x10`, `+5` and `1.5`. */
export function isTimestamp(text: string): boolean {
  return /^[0-9]{1,12}$/.test(text);
}

/** Compares in whole seconds, because the timestamp has no fraction. A difference of exactly `tolerance` is accepted. */
export function isWithinTolerance(timestamp: string, receivedAt: number, tolerance: number): boolean {
  return Math.abs(Math.floor(receivedAt / 1000) - Number(timestamp)) <= tolerance;
}

/** Throws a TypeError on a tolerance that would disable the check, as NaN and Infinity do. */
export function checkTolerance(tolerance: number): void {
  if (!Number.isFinite(tolerance) || tolerance < 0) {
    throw new TypeError('tolerance must be a number of seconds, 0 or more.');
  }
}
