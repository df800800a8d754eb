import { describe, expect } from 'vitest';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { NOW } from './examples.ts';
import { testDatabases } from './test-database.ts';

export function spentTokenContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('a spent token', () => {
    it('is spent by the first who does it, and for everybody then', async () => {
      const { spentTokens } = await open();
      expect(await spentTokens.isSpent('link ü 1')).toBe(false);
      expect(await spentTokens.spend('link ü 1', NOW)).toBe(true);
      expect(await spentTokens.spend('link ü 1', NOW + 1000)).toBe(false);
      expect(await spentTokens.isSpent('link ü 1')).toBe(true);
      expect(await spentTokens.isSpent('link ü 2')).toBe(false);
    });

    it('is spent once by those who do it concurrently', async () => {
      const { spentTokens } = await open();
      const results = await Promise.all(Array.from({ length: 10 }, () => spentTokens.spend('link', NOW)));
      expect(results.filter(Boolean)).toHaveLength(1);
    });

    itAlways('is deleted after its end, a batch at a time, the earliest end first', async () => {
      const { spentTokens } = await open();
      for (const [id, until] of [
        ['c', 30],
        ['a', 10],
        ['d', 40],
        ['b', 20],
      ] as const)
        // prettier-ignore
        await spentTokens.spend(id, NOW + until);
      const left = async (): Promise<readonly boolean[]> =>
        Promise.all(['a', 'b', 'c', 'd'].map((id) => spentTokens.isSpent(id)));
      expect(await spentTokens.deleteExpired(NOW + 40, 2)).toBe(2);
      expect(await left()).toEqual([false, false, true, true]);
      expect(await spentTokens.deleteExpired(NOW + 40, 2)).toBe(1);
      expect(await spentTokens.deleteExpired(NOW + 40, 2)).toBe(0);
      expect(await left()).toEqual([false, false, false, true]);
    });
  });
}
