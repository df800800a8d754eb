import { describe, expect } from 'vitest';
import { LOOKUP_KEPT_MS } from '@trunkline/core/spi/storage';
import type { NumberLookup } from '@trunkline/core/spi/storage';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { NOW, testId } from './examples.ts';
import { storeInstance, storeWorkspace } from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const found = (number: string, registeredNumber: string | null = number): NumberLookup => ({
  number,
  isOnNetwork: registeredNumber !== null,
  registeredNumber,
});

export function lookupContract(subject: ContractSubject): void {
  const open = testDatabases(subject);
  const of = (workspaceId = testId('ten', NOW)) => ({ workspaceId, instanceId: testId('ins', NOW) });

  describe('a lookup of numbers', () => {
    itAlways('is remembered for a day, for its instance', async () => {
      const { lookups } = await open();
      const instance = of();
      const request = { numbers: ['1', '2', '2'], now: NOW, limit: 10 };
      const begun = { kind: 'begun', remembered: [], asked: ['1', '2'] };
      expect(await lookups.begin(instance, request)).toEqual(begun);
      const results = [found('1', '11'), found('2', null), found('3')];
      await lookups.finish(instance.instanceId, results);
      const later = { numbers: ['3', '2', '1'], now: NOW + LOOKUP_KEPT_MS - 1, limit: 10 };
      expect(await lookups.begin(instance, later)).toEqual({
        kind: 'begun',
        remembered: [results[1], results[0]],
        asked: ['3'],
      });
      expect(await lookups.begin(of(instance.workspaceId), request)).toEqual(begun);
      expect(await lookups.begin(instance, { ...request, now: NOW + LOOKUP_KEPT_MS })).toEqual(begun);
    });

    itAlways('counts from the moment when it begins, each time', async () => {
      const { lookups } = await open();
      const instance = of();
      const begin = (numbers: readonly string[], now: number) =>
        lookups.begin(instance, { numbers, now, limit: 3 });
      expect(await begin(['1', '2'], NOW)).toMatchObject({ kind: 'begun' });
      expect(await begin(['1'], NOW + 5)).toMatchObject({ kind: 'begun', asked: ['1'] });
      const limited = { kind: 'limited', freeAt: NOW + LOOKUP_KEPT_MS };
      expect(await begin(['3'], NOW + 6)).toEqual(limited);
      expect(await begin(['3'], NOW + LOOKUP_KEPT_MS)).toMatchObject({ kind: 'begun', asked: ['3'] });
      expect(await begin(['4'], NOW + LOOKUP_KEPT_MS)).toMatchObject({ kind: 'limited' });
    });

    it('stays within the limit however many begin concurrently', async () => {
      const storage = await open();
      const { workspaceId, id: instanceId } = await storeInstance(storage, await storeWorkspace(storage));
      const decisions = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          storage.lookups.begin(
            { workspaceId, instanceId },
            { numbers: [`${index}1`, `${index}2`], now: NOW, limit: 5 },
          ),
        ),
      );
      expect(decisions.filter(({ kind }) => kind === 'begun')).toHaveLength(2);
    });

    it('is erased by its number or the registered one, in the workspace, and deleted after a day', async () => {
      const { lookups } = await open();
      const [mine, theirs] = [of(), of()];
      for (const instance of [mine, theirs]) {
        const numbers = ['1', '2', '3'];
        await lookups.begin(instance, { numbers, now: NOW, limit: 10 });
        await lookups.finish(instance.instanceId, [found('1'), found('2', '22'), found('3')]);
      }
      await lookups.erase(mine.workspaceId, ['1', '22']);
      const asked = async (instance: typeof mine) => {
        const decision = await lookups.begin(instance, { numbers: ['1', '2', '3'], now: NOW + 1, limit: 10 });
        return decision.kind === 'begun' ? decision.asked : decision;
      };
      expect(await asked(theirs)).toEqual([]);
      expect(await asked(mine)).toEqual(['1', '2']);
      expect(await lookups.deleteExpired(NOW + 1, 3)).toBe(3);
      expect(await lookups.deleteExpired(NOW + 1, 3)).toBe(1);
      expect(await lookups.deleteExpired(NOW + 2, 9)).toBe(2);
    });
  });
}
