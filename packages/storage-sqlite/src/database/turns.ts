/** How long the reads of one turn may take together, in milliseconds. */
const TURN_MS = 8;

/** Runs reads that come together in turns, because everything else in this process waits while one turn lasts. */
export interface Turns {
  /** Runs the read in this turn, or in a later one if this turn's time is used up. */
  take<Result>(read: () => Result): Promise<Result>;
}

export function createTurns(): Turns {
  let waiting: (() => void)[] = [];
  let usedMs = 0;
  let isPlanned = false;

  const plan = (): void => {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(begin);
  };

  const begin = (): void => {
    isPlanned = false;
    usedMs = 0;
    const reads = waiting;
    waiting = [];
    let next = 0;
    while (usedMs < TURN_MS && next < reads.length) reads[next++]?.();
    waiting = reads.slice(next);
    if (waiting.length > 0) plan();
  };

  return {
    take: (read) =>
      new Promise((resolve) => {
        const run = (): void => {
          const began = performance.now();
          resolve((async () => read())());
          usedMs += performance.now() - began;
        };
        if (waiting.length === 0 && usedMs < TURN_MS) run();
        else waiting.push(run);
        plan();
      }),
  };
}
