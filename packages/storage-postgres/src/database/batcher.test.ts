import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AGAIN, createBatcher } from './batcher.ts';

/** Waits two turns of the event loop, in which a batch is scheduled and taken. */
async function tick(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Batches items such as `a1`, whose first letter is their key. */
function setUp({ inFlight = 1, max = 10 } = {}) {
  const batches: {
    readonly items: readonly string[];
    readonly complete: (again: readonly string[]) => void;
  }[] = [];
  const done: string[] = [];
  const batcher = createBatcher<string, string>({
    max,
    inFlight,
    keyOf: (item) => item.slice(0, 1),
    run: (items) =>
      new Promise((resolve) => {
        const complete = (again: readonly string[]): void =>
          resolve(items.map((item) => (again.includes(item) ? AGAIN : { status: 'fulfilled', value: item })));
        batches.push({ items, complete });
      }),
  });
  const add = (...items: readonly string[]): void => {
    for (const item of items) void batcher.run(item).then((value) => done.push(value));
  };
  return { add, done, batches, itemsOf: () => batches.map(({ items }) => items) };
}

describe('an item of a batch that is to come again', () => {
  it('is part of the next batch, in front of those of its key that came later', async () => {
    const { add, done, batches, itemsOf } = setUp();
    add('a1', 'b1', 'a2');
    await tick();
    add('b2', 'a3');
    batches[0]?.complete(['a1', 'a2']);
    await tick();
    expect(done).toEqual(['b1']);
    expect(itemsOf()[1]).toEqual(['a1', 'a2', 'b2', 'a3']);
    batches[1]?.complete([]);
    await tick();
    expect(done).toEqual(['b1', 'a1', 'a2', 'b2', 'a3']);
  });

  it('keeps its order when the next batch has no room for all', async () => {
    const { add, done, batches, itemsOf } = setUp({ max: 2 });
    add('a1', 'a2', 'b1');
    await tick();
    batches[0]?.complete(['a1', 'a2']);
    await tick();
    batches[1]?.complete([]);
    await tick();
    batches[2]?.complete([]);
    await tick();
    expect(itemsOf()).toEqual([['a1', 'a2'], ['a1', 'a2'], ['b1']]);
    expect(done).toEqual(['a1', 'a2', 'b1']);
  });

  it('is in one batch at a time, with all of its key', async () => {
    const { add, batches, itemsOf } = setUp({ inFlight: 2 });
    add('a1');
    await tick();
    add('a2', 'b1');
    await tick();
    expect(itemsOf()).toEqual([['a1'], ['b1']]);
    batches[0]?.complete(['a1']);
    await tick();
    expect(itemsOf()[2]).toEqual(['a1', 'a2']);
  });
});
