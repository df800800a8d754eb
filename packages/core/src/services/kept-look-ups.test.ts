import { describe, expect, it } from 'vitest';
import { keepLookUps } from './kept-look-ups.ts';

interface Looking {
  readonly key: string;
  resolve(value: string | null): void;
  fail(error: Error): void;
}

function setUp({ max = 10 } = {}) {
  const made: Looking[] = [];
  const kept = keepLookUps<string | null>({
    lookUp: (key) =>
      new Promise((resolve, fail) => {
        made.push({ key, resolve, fail });
      }),
    isWorthKeeping: (value) => value !== null,
    maxAgeMs: 1000,
    max,
  });
  /** Finds a key. If that starts a lookup, the lookup resolves with `value`. */
  const find = async (key: string, now: number, value: string | null = `${key} at ${now}`) => {
    const count = made.length;
    const found = kept.find(key, now);
    if (made.length > count) made.at(-1)?.resolve(value);
    return found;
  };
  return { kept, find, made, keys: () => made.map(({ key }) => key) };
}

describe('a look-up that is kept', () => {
  it('serves until it is as old as it may get, counted from its start', async () => {
    const { kept, find, made, keys } = setUp();
    const first = kept.find('a', 5000);
    made[0]?.resolve('found late');
    expect(await first).toBe('found late');
    expect(await find('a', 5999)).toBe('found late');
    expect(await find('a', 6000)).toBe('a at 6000');
    expect(await find('b', 6000)).toBe('b at 6000');
    expect(keys()).toEqual(['a', 'a', 'b']);
  });

  it('does not serve callers whose clock is behind it', async () => {
    const { find } = setUp();
    await find('a', 5000);
    expect(await find('a', 4999)).toBe('a at 4999');
  });

  it('is known without a wait, once it has resolved and until it is as old as it may get', async () => {
    const { kept, made } = setUp();
    expect(kept.kept('a', 5000)).toBeUndefined();
    const finding = kept.find('a', 5000);
    expect(kept.kept('a', 5000)).toBeUndefined();
    made[0]?.resolve('found');
    await finding;
    expect(kept.kept('a', 5999)).toBe('found');
    expect(kept.kept('a', 6000)).toBeUndefined();
    kept.forget('a');
    expect(kept.kept('a', 5999)).toBeUndefined();
    expect(made).toHaveLength(1);
  });

  it('is shared by those who ask while it is in flight', async () => {
    const { kept, made } = setUp();
    const both = [kept.find('a', 1), kept.find('a', 2)];
    made[0]?.resolve('once');
    expect(await Promise.all(both)).toEqual(['once', 'once']);
    expect(made).toHaveLength(1);
  });

  it('is repeated when a fresh one is requested, which is then kept', async () => {
    const { kept, made } = setUp();
    const [old, fresh] = [kept.find('a', 1), kept.find('a', 1, { fresh: true })];
    made[1]?.resolve('new');
    made[0]?.resolve('old');
    expect(await Promise.all([old, fresh, kept.find('a', 1)])).toEqual(['old', 'new', 'new']);
  });

  it('is not kept when it finds nothing or fails', async () => {
    const { kept, find, made } = setUp();
    expect(await find('a', 1, null)).toBeNull();
    expect(await find('a', 1)).toBe('a at 1');
    const failing = kept.find('b', 1);
    made.at(-1)?.fail(new Error('no database'));
    await expect(failing).rejects.toThrow('no database');
    expect(await find('b', 1)).toBe('b at 1');
  });

  it('is forgotten without others', async () => {
    const { kept, find } = setUp();
    await find('a', 1);
    await find('b', 1);
    kept.forget('a');
    expect([await find('a', 2), await find('b', 2)]).toEqual(['a at 2', 'b at 1']);
    kept.forgetWhere((value) => value?.startsWith('b') ?? false);
    expect([await find('a', 3), await find('b', 3)]).toEqual(['a at 2', 'b at 3']);
  });

  it('is not kept when it is forgotten in flight: it may have read the previous state', async () => {
    for (const how of ['forget', 'forgetWhere'] as const) {
      const { kept, find, made } = setUp();
      const before = kept.find('a', 1);
      if (how === 'forget') kept.forget('a');
      else kept.forgetWhere(() => false);
      const after = kept.find('a', 1);
      made[1]?.resolve('after');
      made[0]?.resolve('before');
      expect(await Promise.all([before, after, find('a', 1)])).toEqual(['before', 'after', 'after']);
    }
  });

  it('gives way to others when there are too many', async () => {
    const { find, made } = setUp({ max: 10 });
    for (let key = 0; key < 100; key += 1) {
      await find(String(key), 1);
      await find('used', 1);
    }
    const count = made.length;
    for (let key = 0; key < 100; key += 1) await find(String(key), 1);
    expect(made.length - count).toBeGreaterThanOrEqual(90);
    expect(made.filter(({ key }) => key === 'used')).toHaveLength(1);
  });
});
