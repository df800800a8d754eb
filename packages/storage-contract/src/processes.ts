import { describe, expect, it } from 'vitest';
import type { ContractSubject } from './contract-subject.ts';
import { NOW } from './examples.ts';
import { storeInstance, storeWorkspace, takeLease } from './fixtures.ts';
import { testDatabases } from './test-database.ts';

/** How long leases are taken for. */
const TTL = 30_000;
const HOUR = 3_600_000;

export function processContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('owners of leases', () => {
    it('are counted while they register, with the instances that need one', async () => {
      const storage = await open();
      const { processes } = storage;
      const workspace = await storeWorkspace(storage);
      await storeInstance(storage, workspace, { desired: 'running' });
      await storeInstance(storage, workspace, { desired: 'stopped' });
      expect(await processes.register('b', { now: NOW, since: NOW - 20 })).toEqual({
        owners: [{ owner: 'b', held: 0, registeredAt: NOW, asksUntil: 0 }],
        instances: 1,
      });
      await takeLease(storage, await storeInstance(storage, workspace, { desired: 'running' }), {
        owner: 'b',
      });
      const report = { now: NOW + 10, since: NOW - 1, asksUntil: NOW + 50 };
      const both = [
        { owner: 'a', held: 0, registeredAt: NOW + 10, asksUntil: NOW + 50 },
        { owner: 'b', held: 2, registeredAt: NOW, asksUntil: 0 },
      ];
      expect(await processes.register('a', report)).toEqual({ owners: both, instances: 2 });
      expect(await processes.register('a', { now: NOW + 20, since: NOW })).toEqual({
        owners: [{ owner: 'a', held: 0, registeredAt: NOW + 20, asksUntil: 0 }],
        instances: 2,
      });
      expect((await processes.register('b', { now: NOW + 20, since: NOW })).owners).toHaveLength(2);
      await processes.deregister('a');
      await processes.deregister('a');
      expect((await processes.register('b', { now: NOW + 30, since: NOW })).owners).toHaveLength(1);
    });

    it('hold what needs a gateway, under a lease that has not expired', async () => {
      const storage = await open();
      const { instances, processes } = storage;
      const workspace = await storeWorkspace(storage);
      const [kept, stopped] = [
        await storeInstance(storage, workspace),
        await storeInstance(storage, workspace),
      ];
      await takeLease(storage, kept, { owner: 'a' });
      const stop = { ...stopped, desired: 'stopped' } as const;
      expect(await instances.write({ instance: stop, event: null, lease: null })).toHaveProperty(
        'kind',
        'written',
      );
      const share = await processes.register('a', { now: NOW + TTL - 1, since: NOW });
      expect(share).toMatchObject({ owners: [{ owner: 'a', held: 1 }], instances: 1 });
      const late = await processes.register('a', { now: NOW + TTL, since: NOW });
      expect(late).toMatchObject({ owners: [{ owner: 'a', held: 0 }], instances: 1 });
    });

    it('count no more where they registered before the clock was set back', async () => {
      const { processes } = await open();
      const ownersAfter = async (owner: string, now: number): Promise<readonly string[]> =>
        (await processes.register(owner, { now, since: NOW - 20 })).owners.map((share) => share.owner);
      await ownersAfter('a', NOW + HOUR);
      expect(await ownersAfter('b', NOW)).toEqual(['b']);
      expect(await ownersAfter('a', NOW + 100)).toEqual(['a', 'b']);
    });
  });
}
