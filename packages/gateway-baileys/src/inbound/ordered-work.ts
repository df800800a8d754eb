/** Runs work in order within each key, and concurrently across keys. Nothing runs before `release`. */
export interface OrderedWork {
  /** Runs `work` after all earlier work under the same key. `work` has to report its own failures. */
  run(key: string, work: () => Promise<void>): void;
  /** Lets the work start. */
  release(): void;
  /** Resolves when no work is left. */
  completed(): Promise<void>;
}

export function createOrderedWork(limit: number): OrderedWork {
  const tails = new Map<string, Promise<void>>();
  const waiting: (() => void)[] = [];
  const gate = Promise.withResolvers<void>();
  let running = 0;

  const takeTurn = async (): Promise<void> => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
  };
  const giveTurn = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };

  return {
    run(key, work) {
      const tail = (tails.get(key) ?? gate.promise)
        .then(takeTurn)
        .then(() => work().finally(giveTurn))
        .catch(() => undefined)
        .finally(() => {
          if (tails.get(key) === tail) tails.delete(key);
        });
      tails.set(key, tail);
    },
    release: () => gate.resolve(),
    async completed() {
      while (tails.size > 0) await Promise.all(tails.values());
    },
  };
}
