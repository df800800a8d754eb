import { describe, expect } from 'vitest';
import type { ProcessReport } from '@trunkline/core/spi/storage';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { NOW } from './examples.ts';
import { storeInstance, storeWorkspace, takeLease } from './fixtures.ts';
import { testDatabases } from './test-database.ts';

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
      expect(await processes.register('b', { network: 'sandbox', now: NOW, since: NOW - 20 })).toEqual({
        owners: [{ owner: 'b', held: 0, registeredAt: NOW, asksUntil: 0 }],
        instances: 1,
      });
      await takeLease(storage, await storeInstance(storage, workspace, { desired: 'running' }), {
        owner: 'b',
      });
      // Owners and instances of another network count only for that network.
      const elsewhere = await storeInstance(storage, workspace, { network: 'pigeon' });
      expect(await processes.register('b', { network: 'pigeon', now: NOW, since: NOW - 20 })).toEqual({
        owners: [{ owner: 'b', held: 0, registeredAt: NOW, asksUntil: 0 }],
        instances: 1,
      });
      expect(elsewhere.network).toBe('pigeon');
      const report = { network: 'sandbox', now: NOW + 10, since: NOW - 1, asksUntil: NOW + 50 };
      const both = [
        { owner: 'a', held: 0, registeredAt: NOW + 10, asksUntil: NOW + 50 },
        { owner: 'b', held: 2, registeredAt: NOW, asksUntil: 0 },
      ];
      expect(await processes.register('a', report)).toEqual({ owners: both, instances: 2 });
      expect(await processes.register('a', { network: 'sandbox', now: NOW + 20, since: NOW })).toEqual({
        owners: [{ owner: 'a', held: 0, registeredAt: NOW + 20, asksUntil: 0 }],
        instances: 2,
      });
      expect(
        (await processes.register('b', { network: 'sandbox', now: NOW + 20, since: NOW })).owners,
      ).toHaveLength(2);
      await processes.deregister('a');
      await processes.deregister('a');
      expect(
        (await processes.register('b', { network: 'sandbox', now: NOW + 30, since: NOW })).owners,
      ).toHaveLength(1);
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
      const share = await processes.register('a', { network: 'sandbox', now: NOW + TTL - 1, since: NOW });
      expect(share).toMatchObject({ owners: [{ owner: 'a', held: 1 }], instances: 1 });
      const late = await processes.register('a', { network: 'sandbox', now: NOW + TTL, since: NOW });
      expect(late).toMatchObject({ owners: [{ owner: 'a', held: 0 }], instances: 1 });
    });

    it('no longer count if they registered before the clock was set back', async () => {
      const { processes } = await open();
      const ownersAfter = async (owner: string, now: number): Promise<readonly string[]> =>
        (await processes.register(owner, { network: 'sandbox', now, since: NOW - 20 })).owners.map(
          (share) => share.owner,
        );
      await ownersAfter('a', NOW + HOUR);
      expect(await ownersAfter('b', NOW)).toEqual(['b']);
      expect(await ownersAfter('a', NOW + 100)).toEqual(['a', 'b']);
    });
  });

  describe('the reports of processes', () => {
    const report = (name: string, changes: Partial<ProcessReport> = {}): ProcessReport => ({
      name,
      roles: ['api', 'gateway'],
      startedAt: NOW - HOUR,
      reportedAt: NOW,
      vitals: { host: 'a\u0000b', pid: 7, runtime: 'Node.js 24.0.0', memoryBytes: 2 ** 40, busyPercent: 3 },
      ...changes,
    });
    const since = NOW - HOUR;

    it('are the last of each, with what it holds, by their names', async () => {
      const storage = await open();
      const { processes } = storage;
      const workspace = await storeWorkspace(storage);
      for (const desired of ['running', 'running'] as const)
        await takeLease(storage, await storeInstance(storage, workspace, { desired }), { owner: 'b' });
      await processes.report(report('b'), { now: NOW, since });
      await processes.report(report('a', { roles: [], vitals: null }), { now: NOW, since });
      const later = report('b', { roles: ['gateway'], reportedAt: NOW + 1 });
      await processes.report(later, { now: NOW + 1, since });

      const first = { ...report('a', { roles: [], vitals: null }), held: 0 };
      expect(await processes.list({ now: NOW, limit: 10 })).toEqual([first, { ...later, held: 2 }]);
      expect(await processes.list({ now: NOW, limit: 1 })).toEqual([first]);
      expect(await processes.list({ now: NOW + TTL, limit: 10 })).toMatchObject([{ held: 0 }, { held: 0 }]);

      await processes.withdraw('a');
      await processes.withdraw('a');
      expect(await processes.list({ now: NOW, limit: 10 })).toEqual([{ ...later, held: 2 }]);
    });

    it('are forgotten when they are old, or from before the clock was set back', async () => {
      const { processes } = await open();
      const names = async (): Promise<readonly string[]> =>
        (await processes.list({ now: NOW, limit: 10 })).map(({ name }) => name);
      await processes.report(report('old', { reportedAt: since }), { now: since, since: since - HOUR });
      await processes.report(report('silent', { reportedAt: since + 1 }), {
        now: since,
        since: since - HOUR,
      });
      const ahead = NOW + HOUR;
      await processes.report(report('ahead', { reportedAt: ahead }), { now: ahead, since: since - 1 });
      expect(await names()).toEqual(['ahead', 'old', 'silent']);
      await processes.report(report('own'), { now: NOW, since });
      expect(await names()).toEqual(['own', 'silent']);
    });
  });

  describe('the database', () => {
    it('is described, with its size', async () => {
      const { database, schemaVersion, sizeBytes } = await (await open()).describe();
      expect(database).toMatch(/^\p{Lu}\w+ \d/u);
      expect(schemaVersion).toBeGreaterThanOrEqual(1);
      // Null for a database in memory.
      if (sizeBytes !== null) expect(sizeBytes).toBeGreaterThan(10_000);
    });
  });
}
