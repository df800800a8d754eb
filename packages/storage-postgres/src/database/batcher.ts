/** Combines calls that arrive together into batches. */
export interface Batcher<Item, Result> {
  run(item: Item): Promise<Result>;
}

export interface BatcherOptions<Item, Result> {
  /** The maximum size of a batch. Without a limit, the first callers in a long queue would wait for the last. */
  readonly max: number;
  readonly inFlight: number;
  /**
   * Items with the same key are never in two concurrent batches, so they keep their order. Without `keyOf`, no order is
   * kept.
   */
  keyOf?(item: Item): string;
  /**
   * Does the work of a batch. Returns the outcomes in the order of the items. The outcome of an item that takes longer
   * may be a promise: until it settles, the item holds its key, but its batch no longer counts as in flight. `AGAIN`
   * puts an item into the next batch.
   */
  run(
    items: readonly Item[],
  ): Promise<readonly (PromiseSettledResult<Result> | Promise<Result> | typeof AGAIN)[]>;
}

export const AGAIN: unique symbol = Symbol('again');

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly key: string | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects items that arrive within a tick of the event loop, or while the maximum number of batches is in flight. */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { max, inFlight, keyOf, run } = options;
  let waiting: Waiting<Item, Result>[] = [];
  /** The number of unsettled items in batches, by key. */
  const busy = new Map<string, number>();
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
    for (const one of waiting) (batch.length < max && !isBusy(one.key) ? batch : left).push(one);
    waiting = left;
    return batch;
  };

  const isBusy = (key: string | undefined): boolean => key !== undefined && busy.has(key);

  const hold = (key: string | undefined, items: 1 | -1): void => {
    if (key === undefined) return;
    const held = (busy.get(key) ?? 0) + items;
    if (held > 0) busy.set(key, held);
    else busy.delete(key);
  };

  const runBatch = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    running += 1;
    for (const { key } of batch) hold(key, 1);
    const results = await resultsOf(batch.map(({ item }) => item));
    running -= 1;
    const again: Waiting<Item, Result>[] = [];
    for (const [index, one] of batch.entries()) {
      const result = results[index];
      if (result === AGAIN) again.push(one);
      else if (result instanceof Promise) void settleLater(one, result);
      else settle(one, result);
    }
    for (const { key } of again) hold(key, -1);
    // Items to run again go before items that came later, which keeps the order within a key.
    if (again.length > 0) waiting = [...again, ...waiting];
    schedule();
  };

  const settle = (
    { key, resolve, reject }: Waiting<Item, Result>,
    result?: PromiseSettledResult<Result>,
  ): void => {
    hold(key, -1);
    if (result?.status === 'fulfilled') resolve(result.value);
    else reject(result?.reason);
  };

  const settleLater = async (one: Waiting<Item, Result>, promise: Promise<Result>): Promise<void> => {
    const [result] = await Promise.allSettled([promise]);
    settle(one, result);
    schedule();
  };

  const resultsOf: typeof run = async (items) => {
    try {
      return await run(items);
    } catch (reason) {
      return items.map(() => ({ status: 'rejected', reason }));
    }
  };

  return {
    run: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, key: keyOf?.(item), resolve, reject });
        schedule();
      }),
  };
}
