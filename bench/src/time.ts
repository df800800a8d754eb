/** Milliseconds since the epoch, with fractions. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
