import { describe, expect } from 'vitest';
import type { Group, GroupReport, Lease, Storage } from '@trunkline/core/spi/storage';
import { must, only } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { NOW, testId } from './examples.ts';
import { loseLease, storeInstance, storeLeasedInstance, storeWorkspace, takeLease } from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function groupContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('groups', () => {
    it('are found by id and by network id', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await save(storage, lease, [{ networkId: 'g1', name: 'Team 👋', participantsCount: 3 }]);
      const group = only(await storage.groups.list(workspace.id, instance.id));
      expect(group).toEqual({
        id: expect.stringMatching(/^grp_/),
        workspaceId: workspace.id,
        instanceId: instance.id,
        networkId: 'g1',
        name: 'Team 👋',
        participantsCount: 3,
        isMember: true,
        syncedAt: NOW,
      });
      expect(await storage.groups.find(workspace.id, instance.id, group.id)).toEqual(group);
      expect(await storage.groups.findByNetworkId(instance.id, 'g1')).toEqual(group);
      expect(await storage.groups.findByNetworkId(instance.id, 'g2')).toBeNull();
      expect(await storage.groups.find(workspace.id, instance.id, testId('grp', NOW))).toBeNull();
    });

    it('are hidden from other workspaces and other instances', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const other = await storeWorkspace(storage);
      const neighbour = await storeInstance(storage, workspace);
      await save(storage, lease, [{ networkId: 'g1', name: 'Team', participantsCount: 3 }]);
      const { id } = only(await storage.groups.list(workspace.id, instance.id));
      expect(await storage.groups.list(other.id, instance.id)).toEqual([]);
      expect(await storage.groups.find(other.id, instance.id, id)).toBeNull();
      expect(await storage.groups.list(workspace.id, neighbour.id)).toEqual([]);
      expect(await storage.groups.find(workspace.id, neighbour.id, id)).toBeNull();
      expect(await storage.groups.findByNetworkId(neighbour.id, 'g1')).toBeNull();
    });

    it('keep their id when they change, and stay when a report lacks them', async () => {
      const made: string[] = [];
      const storage = await open('immediately', (prefix, at) => {
        const id = testId(prefix, at);
        if (prefix === 'grp') made.push(id);
        return id;
      });
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await save(storage, lease, [
        { networkId: 'g1', name: 'Apes', participantsCount: 3 },
        { networkId: 'g2', name: 'Bees', participantsCount: 4 },
      ]);
      const [apes, bees] = await storage.groups.list(workspace.id, instance.id);
      expect([apes, bees].map((group) => group?.id)).toEqual(made);
      await save(
        storage,
        lease,
        [
          { networkId: 'g1', name: 'Zebras', participantsCount: 5 },
          { networkId: 'g3', name: 'Cats', participantsCount: 1 },
        ],
        { now: NOW + 5 },
      );
      const groups = await storage.groups.list(workspace.id, instance.id);
      const zebras = { ...must(apes), name: 'Zebras', participantsCount: 5, syncedAt: NOW + 5 };
      expect(groups).toEqual([bees, expect.objectContaining({ networkId: 'g3', id: made[2] }), zebras]);
      expect(made).toHaveLength(3);
    });

    it('keep what a report leaves out, and have the network id as a name until there is one', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await save(storage, lease, [
        { networkId: 'g1', name: 'Apes', participantsCount: 3 },
        { networkId: 'g2', participantsCount: 4 },
        { networkId: 'g3' },
      ]);
      const facts = async (): Promise<unknown> =>
        (await storage.groups.list(workspace.id, instance.id)).map(
          ({ networkId, name, participantsCount }) => [networkId, name, participantsCount],
        );
      expect(await facts()).toEqual([
        ['g1', 'Apes', 3],
        ['g2', 'g2', 4],
        ['g3', 'g3', 0],
      ]);
      await save(storage, lease, [{ networkId: 'g1' }, { networkId: 'g2' }, { networkId: 'g3' }], {
        full: true,
      });
      await save(storage, lease, [
        { networkId: 'g1', participantsCount: 5 },
        { networkId: 'g2', name: 'Bees' },
        { networkId: 'g3', name: 'Cats' },
        { networkId: 'g3', participantsCount: 1 },
      ]);
      expect(await facts()).toEqual([
        ['g1', 'Apes', 5],
        ['g2', 'Bees', 4],
        ['g3', 'Cats', 1],
      ]);
    });

    it('leave the list when a full report lacks them, and come back under the id that they had', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const { groups } = storage;
      const [apes, bees] = [
        { networkId: 'g1', name: 'Apes', participantsCount: 3 },
        { networkId: 'g2', name: 'Bees', participantsCount: 4 },
      ];
      const names = async (): Promise<readonly string[]> =>
        (await groups.list(workspace.id, instance.id)).map(({ name }) => name);
      await save(storage, lease, [apes, bees]);
      const before = await groups.list(workspace.id, instance.id);
      const left = must(before.find(({ networkId }) => networkId === 'g2'));

      await save(storage, lease, [apes], { full: true });
      expect(await names()).toEqual(['Apes']);
      expect(await groups.find(workspace.id, instance.id, left.id)).toBeNull();
      const known = await groups.findByNetworkId(instance.id, 'g2');
      expect(known).toEqual({ ...left, isMember: false });

      await save(storage, lease, [bees]);
      expect(await groups.list(workspace.id, instance.id)).toEqual(before);
      await save(storage, lease, [], { full: true });
      expect(await names()).toEqual([]);
    });

    itAlways('leave the list one by one, and are found in their workspace until then', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const { groups } = storage;
      await save(storage, lease, [
        { networkId: 'g1', name: 'Apes', participantsCount: 3 },
        { networkId: 'g2', name: 'Bees', participantsCount: 4 },
      ]);
      const [apes, bees] = await groups.list(workspace.id, instance.id);
      expect(await groups.findInWorkspace(workspace.id, must(bees).id)).toEqual(bees);
      expect(await groups.findInWorkspace((await storeWorkspace(storage)).id, must(bees).id)).toBeNull();
      await save(storage, lease, [
        { networkId: 'g2', isMember: false },
        { networkId: 'g3', isMember: false },
      ]);
      expect(await groups.list(workspace.id, instance.id)).toEqual([apes]);
      expect(await groups.findInWorkspace(workspace.id, must(bees).id)).toBeNull();
      expect(await groups.findByNetworkId(instance.id, 'g2')).toEqual({ ...bees, isMember: false });
      expect(await groups.findByNetworkId(instance.id, 'g3')).toBeNull();
      await save(storage, lease, [{ networkId: 'g1', isMember: false }, { networkId: 'g2' }], { full: true });
      expect(await groups.list(workspace.id, instance.id)).toMatchObject([{ name: 'Bees' }]);
    });

    it('leave the list of only one instance', async () => {
      const storage = await open();
      const { workspace, lease } = await storeLeasedInstance(storage);
      const neighbour = await storeInstance(storage, workspace);
      const other = await takeLease(storage, neighbour);
      await save(storage, other, [{ networkId: 'g1', name: 'Team', participantsCount: 3 }]);
      await save(storage, lease, [], { full: true });
      expect(await storage.groups.list(workspace.id, neighbour.id)).toHaveLength(1);
    });

    it('leave the list with their number, and keep their ids for when it is linked again', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const team = { networkId: 'g1', name: 'Team', participantsCount: 3 };
      await save(storage, lease, [team]);
      const before = await storage.groups.list(workspace.id, instance.id);
      await storage.instances.write({ instance, event: null, lease: null, forgetNumber: true });
      expect(await storage.groups.list(workspace.id, instance.id)).toEqual([]);
      await save(storage, lease, [team], { full: true });
      expect(await storage.groups.list(workspace.id, instance.id)).toEqual(before);
    });

    it('are listed by name in code points, then by id', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      // In UTF-16, the emoji would come before the full-width tilde.
      const names = ['😀', '～', 'b', 'B', 'é', 'same', 'same', 'sam', ''];
      await save(
        storage,
        lease,
        names.map((name, index) => ({ networkId: `g${index}`, name, participantsCount: 1 })),
      );
      const groups = await storage.groups.list(workspace.id, instance.id);
      expect(groups.map(({ name }) => name)).toEqual(['', 'B', 'b', 'sam', 'same', 'same', 'é', '～', '😀']);
      const same: readonly Group[] = groups.filter(({ name }) => name === 'same');
      expect(same.map(({ networkId }) => networkId)).toEqual(['g5', 'g6']);
    });

    it('are fenced', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await loseLease(storage, lease);
      expect(await save(storage, lease, [{ networkId: 'g1', name: 'Late', participantsCount: 3 }])).toBe(
        'fenced',
      );
      expect(await storage.groups.list(workspace.id, instance.id)).toEqual([]);
    });

    it('may be reported twice', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await save(storage, lease, [
        { networkId: 'g1', name: 'First', participantsCount: 1 },
        { networkId: 'g1', name: 'Last', participantsCount: 2 },
      ]);
      const group = only(await storage.groups.list(workspace.id, instance.id));
      expect(group).toMatchObject({ name: 'Last', participantsCount: 2 });
    });
  });
}

async function save(
  storage: Storage,
  lease: Lease,
  groups: readonly GroupReport[],
  { now = NOW, full = false }: { readonly now?: number; readonly full?: boolean } = {},
): Promise<'saved' | 'fenced'> {
  // The instance belongs to the first workspace.
  const [workspace] = await storage.workspaces.list({ after: null, limit: 1 });
  return storage.groups.save({ lease, workspaceId: must(workspace).id, groups, full, now });
}
