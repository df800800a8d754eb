import type { Clock } from '../ports/clock.ts';

/**
 * Repeats the work until it succeeds; once `until` has come, or where the error is final, rejects with the last error
 * instead.
 */
export async function keepTrying(
  clock: Clock,
  {
    until,
    everyMs,
    isFinal = () => false,
  }: { readonly until: number; readonly everyMs: number; readonly isFinal?: (error: unknown) => boolean },
  work: () => Promise<void>,
): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (clock.now() >= until || isFinal(error)) throw error;
      await new Promise<void>((resolve) => clock.setTimer(everyMs, resolve));
    }
  }
}
