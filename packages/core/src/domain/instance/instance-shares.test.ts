import { describe, expect, it } from 'vitest';
import { handOvers, mayAsk } from './instance-shares.ts';
import type { GatewayShare } from './instance-shares.ts';

function shareOf(...held: readonly number[]): GatewayShare {
  const owners = held.map((count, index) => ({
    owner: `owner-${index}`,
    held: count,
    registeredAt: 0,
    asksUntil: 0,
  }));
  return { owners, instances: held.reduce((sum, count) => sum + count, 0) };
}

describe('an owner asks for instances', () => {
  it.for([
    ['holds nothing of what another holds', [24, 0], true],
    ['holds less than four fifths of its share', [12, 12, 6], true],
    ['would have to interrupt a connection for a small difference', [11, 9], false],
    ['holds one less than another', [1, 0], false],
    ['is alone', [0], false],
  ] as const)('when it %s: %j, %s', ([, held, asks]) => {
    expect(mayAsk(`owner-${held.length - 1}`, shareOf(...held), false)).toBe(asks);
  });

  it('until all are even, once it has begun', () => {
    expect(mayAsk('owner-1', shareOf(11, 9), true)).toBe(true);
    expect(mayAsk('owner-1', shareOf(11, 10), true)).toBe(false);
  });
});

describe('handing instances over', () => {
  const all = (limit: number) => ({ limit, mayReceive: () => true });

  it('starts with owners that hold more than others, up to the limit', () => {
    expect(handOvers('owner-0', shareOf(24, 0), all(5))).toEqual(Array(5).fill('owner-1'));
    expect(handOvers('owner-0', shareOf(5, 2), all(5))).toEqual(['owner-1']);
    expect(handOvers('owner-0', shareOf(5, 4), all(5))).toEqual([]);
    expect(handOvers('owner-1', shareOf(24, 0), all(5))).toEqual([]);
  });

  it('does nothing if no other owner may receive, or there is none', () => {
    expect(handOvers('owner-0', shareOf(24, 0), { limit: 5, mayReceive: () => false })).toEqual([]);
    expect(handOvers('owner-0', shareOf(24), all(5))).toEqual([]);
  });

  it('makes all even, when each takes its own steps', () => {
    for (const held of [
      [10, 10, 10, 0],
      [7, 1, 0, 0, 3],
      [9, 0],
      [100, 1, 1],
      [3, 3, 2],
    ]) {
      const share = shareOf(...held);
      const after = new Map(share.owners.map(({ owner, held: count }) => [owner, count]));
      for (const { owner } of share.owners) {
        for (const receiver of handOvers(owner, share, all(1000))) {
          after.set(owner, (after.get(owner) ?? 0) - 1);
          after.set(receiver, (after.get(receiver) ?? 0) + 1);
        }
      }
      expect(Math.max(...after.values()) - Math.min(...after.values())).toBeLessThanOrEqual(1);
    }
  });
});
