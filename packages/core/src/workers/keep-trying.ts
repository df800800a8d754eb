import type { Clock } from '../ports/clock.ts';

/** Repeats the work until it succeeds; once `until` has come, rejects with the last error instead. */
export async function keepTrying(
  clock: Clock,
  { until, everyMs }: { readonly until: number; readonly everyMs: number },
  work: () => Promise<void>,
): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (clock.now() >= until) throw error;
      await new Promise<void>((resolve) => clock.setTimer(everyMs, resolve));
    }
  }
}
