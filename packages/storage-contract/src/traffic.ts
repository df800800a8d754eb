import { describe, expect } from 'vitest';
import type { Instance, Storage, TrafficCounts, TrafficRow } from '@trunkline/core/spi/storage';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { NOW, testId } from './examples.ts';
import { QUEUE_FAILURE, storeEndpoint, storeInstance, storeWorkspace, takeLease } from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const QUARTER = 15 * 60_000;

function counted(
  { id }: Pick<Instance, 'id'>,
  counts: TrafficCounts,
  { kind = 'instance', quarter = NOW }: Partial<Pick<TrafficRow, 'kind' | 'quarter'>> = {},
): TrafficRow {
  return { kind, id, quarter, counts };
}

export function trafficContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  /** The counts of an instance in all quarters. */
  const readInstance = (
    { traffic }: Storage,
    { workspaceId, id }: Instance,
  ): Promise<readonly TrafficRow[]> =>
    traffic.read(workspaceId, { kind: 'instance', ids: [id], from: 0, to: NOW * 2 });

  describe('counts over time', () => {
    itAlways('are added to the stored ones by name, for each object and quarter', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const instance = await storeInstance(storage, workspace);
      const endpoint = await storeEndpoint(storage, workspace);
      const later = { quarter: NOW + QUARTER };
      await storage.traffic.add([
        counted(instance, { sent: 1, 'failed:busy': 2 }),
        counted(instance, { sent: 7 }, later),
        counted(workspace, { received: 1 }, { kind: 'workspace' }),
        counted(endpoint, { succeeded: 1 }, { kind: 'webhook' }),
      ]);
      await storage.traffic.add([
        counted(workspace, { received: 2 }, { kind: 'workspace' }),
        counted(instance, { sent: 3, 'class:0': 3 }),
      ]);
      expect(await readInstance(storage, instance)).toEqual([
        counted(instance, { sent: 4, 'failed:busy': 2, 'class:0': 3 }),
        counted(instance, { sent: 7 }, later),
      ]);
      const period = { from: NOW, to: NOW + QUARTER };
      const read = (kind: TrafficRow['kind'], id: string) =>
        storage.traffic.read(workspace.id, { kind, ids: [id], ...period });
      expect(await read('instance', instance.id)).toHaveLength(1);
      expect(await read('workspace', workspace.id)).toEqual([
        counted(workspace, { received: 3 }, { kind: 'workspace' }),
      ]);
      expect(await read('webhook', endpoint.id)).toEqual([
        counted(endpoint, { succeeded: 1 }, { kind: 'webhook' }),
      ]);
    });

    it('are read of several objects by id, and of no other workspace', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const [first, second] = [
        await storeInstance(storage, workspace),
        await storeInstance(storage, workspace),
      ];
      const other = await storeWorkspace(storage);
      const foreign = await storeInstance(storage, other);
      await storage.traffic.add([
        counted(second, { sent: 2 }),
        counted(foreign, { sent: 3 }),
        counted(first, { sent: 1 }, { quarter: NOW + QUARTER }),
        counted(first, { sent: 1 }),
        counted(other, { sent: 3 }, { kind: 'workspace' }),
      ]);
      const ids = [second.id, foreign.id, first.id, testId('ins', NOW), 'not an id'];
      const of = { from: NOW, to: NOW + 2 * QUARTER };
      const rows = await storage.traffic.read(workspace.id, { kind: 'instance', ids, ...of });
      expect(rows).toEqual(
        [
          counted(first, { sent: 1 }),
          counted(first, { sent: 1 }, { quarter: NOW + QUARTER }),
          counted(second, { sent: 2 }),
        ].toSorted((one, two) => (one.id < two.id ? -1 : Number(one.id > two.id))),
      );
      const all = { kind: 'workspace', ids: [workspace.id, other.id], ...of } as const;
      expect(await storage.traffic.read(workspace.id, all)).toEqual([]);
    });

    it('of concurrent writers are all added', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const instances = [await storeInstance(storage, workspace), await storeInstance(storage, workspace)];
      const rows = [
        ...instances.map((instance) => counted(instance, { sent: 1 })),
        counted(workspace, { sent: 2 }, { kind: 'workspace' }),
      ];
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          storage.traffic.add(index % 2 === 0 ? rows : rows.toReversed()),
        ),
      );
      for (const instance of instances)
        expect(await readInstance(storage, instance)).toEqual([counted(instance, { sent: 20 })]);
    });

    itAlways('are deleted with their instance or webhook, and not written afterwards', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const instance = await storeInstance(storage, workspace);
      const kept = await storeInstance(storage, workspace);
      const endpoint = await storeEndpoint(storage, workspace);
      const rows = [
        counted(instance, { sent: 1 }),
        counted(kept, { sent: 1 }),
        counted(endpoint, { succeeded: 1 }, { kind: 'webhook' }),
      ];
      await storage.traffic.add(rows);
      const lease = await takeLease(storage, instance);
      expect(await storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE })).toBe('deleted');
      expect(await storage.endpoints.delete(workspace.id, endpoint.id, NOW)).toBe(true);
      await storage.traffic.add(rows);
      expect(await readInstance(storage, kept)).toEqual([counted(kept, { sent: 2 })]);
      // Only the row that is left can be deleted.
      expect(await storage.traffic.deleteBefore(NOW + 1, 10)).toBe(1);
    });

    itAlways('are deleted by age, in steps', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const instance = await storeInstance(storage, workspace);
      const endpoint = await storeEndpoint(storage, workspace);
      for (const quarter of [NOW - QUARTER, NOW, NOW + QUARTER])
        await storage.traffic.add([
          counted(instance, { sent: 1 }, { quarter }),
          counted(endpoint, { succeeded: 1 }, { kind: 'webhook', quarter }),
          counted(workspace, { sent: 1 }, { kind: 'workspace', quarter }),
        ]);
      expect(await storage.traffic.deleteBefore(NOW + QUARTER, 4)).toBe(4);
      expect(await storage.traffic.deleteBefore(NOW + QUARTER, 4)).toBe(2);
      expect(await storage.traffic.deleteBefore(NOW + QUARTER, 4)).toBe(0);
      expect(await readInstance(storage, instance)).toEqual([
        counted(instance, { sent: 1 }, { quarter: NOW + QUARTER }),
      ]);
    });

    it('may have names with any character, and high numbers', async () => {
      const storage = await open();
      const instance = await storeInstance(storage, await storeWorkspace(storage));
      const counts = { 'failed:"\\é💥': 2 ** 40 };
      await storage.traffic.add([counted(instance, counts)]);
      await storage.traffic.add([counted(instance, counts)]);
      expect(await readInstance(storage, instance)).toEqual([
        counted(instance, { 'failed:"\\é💥': 2 ** 41 }),
      ]);
    });
  });
}
