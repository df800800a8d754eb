import type { Clock } from '@trunkline/core/spi/gateway';

/** Waits that end with a connection, so that none of their timers outlives it. */
export interface Pauses {
  /** Resolves after this time, or at the end of the connection. */
  pause(ms: number): Promise<void>;
  isOver(): boolean;
}

export function createPauses(clock: Clock, ended: Promise<unknown>): Pauses {
  const waits = new Set<() => void>();
  let isOver = false;
  void ended.then(() => {
    isOver = true;
    for (const end of waits) end();
  });
  return {
    isOver: () => isOver,
    pause: (ms) =>
      new Promise((resolve) => {
        if (isOver) return resolve();
        const end = (): void => {
          cancel();
          waits.delete(end);
          resolve();
        };
        const cancel = clock.setTimer(ms, end);
        waits.add(end);
      }),
  };
}
