import type { TrunklineOptions } from '@trunkline/core';

interface Schedule {
  readonly clock: TrunklineOptions['clock'];
  readonly everyMs: number;
}

/** Calls `start` at intervals until it succeeds. Returns a function that cancels further calls. */
export function startLater(start: () => Promise<unknown>, { clock, everyMs }: Schedule): () => void {
  let isCancelled = false;
  let cancelTimer = (): void => {};
  const later = (): void => {
    if (!isCancelled) cancelTimer = clock.setTimer(everyMs, () => void start().catch(later));
  };
  later();
  return () => {
    isCancelled = true;
    cancelTimer();
  };
}
