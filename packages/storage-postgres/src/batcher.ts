/** Runs calls that come together as one. */
export interface Batcher<Item, Result> {
  run(item: Item): Promise<Result>;
}

export interface BatcherOptions<Item, Result> {
  /** Items of one batch at most, so that the first callers of a long queue do not wait for its last. */
  readonly max: number;
  /** Batches under way at most. */
  readonly inFlight: number;
  /** Items with one key are never in two batches at once: so they keep their order. */
  keyOf(item: Item): string;
  /** Does the work of a batch. Answers what came of each item, in their order. */
  run(items: readonly Item[]): Promise<readonly PromiseSettledResult<Result>[]>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly key: string;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects what comes within a tick of the event loop, and what comes while others are under way. */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { max, inFlight, keyOf, run } = options;
  let waiting: Waiting<Item, Result>[] = [];
  const busy = new Set<string>();
  let running = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled || waiting.length === 0 || running === inFlight) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const batch = takeBatch();
      if (batch.length === 0) return;
      void runBatch(batch);
      schedule();
    });
  };

  const takeBatch = (): readonly Waiting<Item, Result>[] => {
    const batch: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    for (const one of waiting) (batch.length < max && !busy.has(one.key) ? batch : left).push(one);
    waiting = left;
    return batch;
  };

  const runBatch = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    running += 1;
    for (const { key } of batch) busy.add(key);
    const results = await settled(batch.map(({ item }) => item));
    running -= 1;
    for (const { key } of batch) busy.delete(key);
    schedule();
    for (const [index, { resolve, reject }] of batch.entries()) {
      const result = results[index];
      if (result?.status === 'fulfilled') resolve(result.value);
      else reject(result?.reason);
    }
  };

  const settled = async (items: readonly Item[]): Promise<readonly PromiseSettledResult<Result>[]> => {
    try {
      return await run(items);
    } catch (reason) {
      return items.map(() => ({ status: 'rejected', reason }));
    }
  };

  return {
    run: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, key: keyOf(item), resolve, reject });
        schedule();
      }),
  };
}
