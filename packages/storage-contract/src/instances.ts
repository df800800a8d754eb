import { describe, expect } from 'vitest';
import { must, only } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { anEvent, anInstance, DAY, NOW, testId } from './examples.ts';
import {
  claim,
  failedWithQueue,
  loseLease,
  QUEUE_FAILURE,
  renaming,
  storeEndpoint,
  storeInstance,
  storeLeasedInstance,
  storeQueuedMessages,
  storeWorkspace,
  takeLease,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function instanceContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('instances', () => {
    it('are found as they were inserted, by their own workspace', async () => {
      const storage = await open();
      const [workspace, other] = [await storeWorkspace(storage), await storeWorkspace(storage)];
      const full = anInstance(workspace, {
        status: 'error',
        desired: 'stopped',
        profilePictureUrl: 'https://example.com/p.jpg',
        lastError: 'banned',
        restriction: { code: 'sending_capped', until: NOW + DAY },
        droppedAt: NOW + 1,
        qr: { sealedCode: 'sealed', sealedPairingCode: 'sealed too', expiresAt: NOW + 2 },
        pairingNumber: '15550100',
        sealedProxyUrl: 'sealed as well',
        sealedCredentials: 'sealed, too',
        capabilities: ['text', 'image'],
        pace: 'off',
        operation: { id: 'opr_1', kind: 'logout', requestedAt: NOW + 3 },
        operationOutcome: { id: 'opr_0', error: 'timeout', earlier: [{ id: 'opr_00', error: null }] },
        logoutRefused: true,
        disconnectedAt: NOW + 4,
        lastSeenAt: NOW + 5,
        version: 9,
      });
      const bare = anInstance(workspace, {
        createdAt: NOW + 1,
        phoneNumber: null,
        profileName: null,
        operationOutcome: { id: 'opr_0', error: null, earlier: [] },
        statusChangedAt: null,
        linkedAt: null,
        connectedAt: null,
      });
      await storage.instances.insert(bare, null);
      await storage.instances.insert(full, null);

      expect(await storage.instances.find(workspace.id, full.id)).toEqual(full);
      expect(await storage.instances.find(workspace.id, bare.id)).toEqual(bare);
      expect(await storage.instances.list(workspace.id)).toEqual([full, bare]);
      expect(await storage.instances.find(other.id, full.id)).toBeNull();
      expect(await storage.instances.list(other.id)).toEqual([]);
    });

    it('are counted for several workspaces together', async () => {
      const storage = await open();
      const [one, two, none, another] = await Promise.all([1, 2, 3, 4].map(() => storeWorkspace(storage)));
      for (const workspace of [one, two, two, another])
        await storage.instances.insert(anInstance(must(workspace)), null);
      const ids = [two, one, none].map((workspace) => must(workspace).id);
      const counted = await storage.instances.countIn([...ids, 'ten_unknown']);
      expect(counted).toEqual(
        new Map([
          [must(one).id, 1],
          [must(two).id, 2],
        ]),
      );
      expect(await storage.instances.countIn([])).toEqual(new Map());
    });

    it('are inserted up to the limit of their workspace', async () => {
      const storage = await open();
      const [workspace, other] = [await storeWorkspace(storage), await storeWorkspace(storage)];
      await storeInstance(storage, other);
      const refused = anInstance(workspace);
      expect(await storage.instances.insert(anInstance(workspace), 2)).toBe('inserted');
      expect(await storage.instances.insert(anInstance(workspace), 2)).toBe('inserted');
      expect(await storage.instances.insert(refused, 2)).toBe('limit_reached');
      expect(await storage.instances.find(workspace.id, refused.id)).toBeNull();
      expect(await storage.instances.insert(refused, null)).toBe('inserted');
    });

    it('keep to the limit when inserted concurrently', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const inserts = Array.from({ length: 20 }, () => storage.instances.insert(anInstance(workspace), 5));
      const results = await Promise.all(inserts);
      expect(results.filter((result) => result === 'inserted')).toHaveLength(5);
      expect(await storage.instances.list(workspace.id)).toHaveLength(5);
    });
  });

  describe('a write of an instance', () => {
    it('raises the version and returns the instance', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const result = await storage.instances.write(renaming(instance, 'New'));
      const written = { ...instance, name: 'New', version: 2 };
      expect(result).toEqual({ kind: 'written', instance: written });
      expect(await storage.instances.find(workspace.id, instance.id)).toEqual(written);
      expect(await storage.instances.write(renaming(written, 'Newer'))).toMatchObject({
        instance: { version: 3 },
      });
    });

    it('is stale when the instance has changed, and then writes nothing', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await storeEndpoint(storage, workspace, { events: ['instance.connected'] });
      const [message] = await storeQueuedMessages(storage, instance, 1);
      await storage.sessions.save(lease, new Map([['creds', Uint8Array.of(1)]]));
      await storage.instances.write(renaming(instance, 'First'));

      const event = anEvent(workspace, NOW, { type: 'instance.connected' });
      const late = { ...renaming(instance, 'Second'), event, failQueued: QUEUE_FAILURE, forgetNumber: true };
      expect(await storage.instances.write(late)).toEqual({ kind: 'stale' });
      expect(await storage.instances.find(workspace.id, instance.id)).toMatchObject({
        name: 'First',
        version: 2,
      });
      expect(await storage.sessions.load(instance.id)).toHaveProperty('size', 1);
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
      expect(await claim(storage, NOW)).toEqual([]);
    });

    it('is stale for an instance that is gone or of another workspace', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const other = await storeWorkspace(storage);
      expect(await storage.instances.write(renaming(anInstance(workspace), 'Ghost'))).toEqual({
        kind: 'stale',
      });
      const foreign = renaming({ ...instance, workspaceId: other.id }, 'Stolen');
      expect(await storage.instances.write(foreign)).toEqual({ kind: 'stale' });
      expect(await storage.instances.find(workspace.id, instance.id)).toEqual(instance);
    });

    it('passes one of those made concurrently on one version', async () => {
      const storage = await open();
      const { instance } = await storeLeasedInstance(storage);
      const writes = Array.from({ length: 10 }, (_, index) =>
        storage.instances.write(renaming(instance, `${index}`)),
      );
      const results = await Promise.all(writes);
      expect(results.filter(({ kind }) => kind === 'written')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'stale')).toHaveLength(9);
    });

    it('is decided by itself, whatever others are made at the same time', async () => {
      const storage = await open();
      const { instances } = storage;
      const { workspace, instance: held, lease } = await storeLeasedInstance(storage);
      const other = await storeWorkspace(storage);
      const [free, foreign, changed, stops, odd] = [
        await storeInstance(storage, workspace),
        await storeInstance(storage, other),
        await storeInstance(storage, workspace),
        await storeInstance(storage, workspace),
        await storeInstance(storage, workspace),
      ];
      expect(await instances.write(renaming(changed, 'Before'))).toHaveProperty('kind', 'written');
      const stopped = { ...stops, status: 'logged_out', desired: 'stopped', phoneNumber: null } as const;
      const results = await Promise.all([
        instances.write({ ...renaming(held, 'Held'), lease }),
        instances.write({ ...renaming(free, 'Fenced'), lease: { ...lease, instanceId: free.id } }),
        instances.write(renaming({ ...foreign, workspaceId: workspace.id }, 'Stolen')),
        instances.write(renaming(changed, 'Late')),
        instances.write({ ...renaming(stops, 'Stops'), instance: stopped }),
        instances.write(renaming(odd, 'null \0, "quoted" \\')),
        instances.write(renaming(anInstance(workspace), 'Ghost')),
      ]);
      expect(results.map(({ kind }) => kind)).toEqual([
        'written',
        'fenced',
        'stale',
        'stale',
        'written',
        'written',
        'stale',
      ]);
      const names = (await instances.list(workspace.id)).map(({ name }) => name);
      expect(names.toSorted()).toEqual(
        ['Held', free.name, 'Before', stopped.name, 'null \0, "quoted" \\'].toSorted(),
      );
      expect(await instances.find(other.id, foreign.id)).toEqual(foreign);
      expect(await instances.find(workspace.id, stops.id)).toEqual({ ...stopped, version: 2 });
    });

    it('is fenced under a lost lease, before its version counts', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      expect(await storage.instances.write({ ...renaming(instance, 'Mine'), lease })).toMatchObject({
        kind: 'written',
      });
      await loseLease(storage, lease);
      const current = must(await storage.instances.find(workspace.id, instance.id));
      expect(await storage.instances.write({ ...renaming(current, 'Late'), lease })).toEqual({
        kind: 'fenced',
      });
      expect(await storage.instances.write({ ...renaming(instance, 'Late'), lease })).toEqual({
        kind: 'fenced',
      });
      expect(await storage.instances.find(workspace.id, instance.id)).toEqual(current);
      expect(await storage.instances.write(renaming(current, 'By the API'))).toMatchObject({
        kind: 'written',
      });
    });

    it('stores its event with the deliveries of it', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      await storeEndpoint(storage, workspace, { events: ['instance.disconnected'] });
      const event = anEvent(workspace, NOW, { type: 'instance.disconnected' });
      await storage.instances.write({ ...renaming(instance, 'New'), event });
      const claimed = await claim(storage, NOW, { slots: 100 });
      expect(claimed.map(({ payload }) => payload)).toEqual([event.payload]);
    });

    it('fails every queued message of the instance, each with its event, and no other', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await storeEndpoint(storage, workspace, { events: ['message.failed', 'instance.disconnected'] });
      const neighbour = await storeInstance(storage, workspace);
      const messages = await storeQueuedMessages(storage, instance, 3);
      const [elsewhere] = await storeQueuedMessages(storage, neighbour, 1);
      const [sent] = messages;
      const change = { message: { ...sent, status: 'sent' }, expectedStatus: 'queued', events: [] } as const;
      expect(await storage.messages.change(lease, change)).toBe('changed');

      const event = anEvent(workspace, NOW, { type: 'instance.disconnected' });
      await storage.instances.write({ ...renaming(instance, 'New'), event, failQueued: QUEUE_FAILURE });
      expect(await storage.messages.find(workspace.id, sent.id)).toMatchObject({ status: 'sent' });
      for (const message of messages.slice(1)) {
        expect(await storage.messages.find(workspace.id, message.id)).toEqual(failedWithQueue(message));
      }
      expect(await storage.messages.queueHeads([instance.id, neighbour.id], NOW)).toEqual([
        { message: elsewhere, tries: 0 },
      ]);
      const claimed = await claim(storage, NOW, { slots: 100 });
      const types = claimed.map(({ delivery }) => delivery.eventType);
      expect(types).toEqual(['instance.disconnected', 'message.failed', 'message.failed']);
      const bodies: readonly unknown[] = claimed.slice(1).map(({ payload }) => JSON.parse(payload));
      expect(bodies).toMatchObject(
        messages.slice(1).map(({ id }, index) => ({
          type: 'message.failed',
          created_at: `2026-11-20T12:00:00.00050${index}Z`,
          workspace_id: workspace.id,
          data: { message: { id, status: 'failed', error: QUEUE_FAILURE.error } },
        })),
      );
    });

    it('changes nothing when it breaks off at one of the queued messages', async () => {
      let events = 0;
      const storage = await open('immediately', (prefix, at) => {
        if (prefix === 'evt' && (events += 1) === 2) throw new Error('A bug.');
        return testId(prefix, at);
      });
      const { workspace, instance } = await storeLeasedInstance(storage);
      const [first] = await storeQueuedMessages(storage, instance, 2);
      const write = storage.instances.write({ ...renaming(instance, 'New'), failQueued: QUEUE_FAILURE });
      await expect(write).rejects.toThrow('A bug.');
      expect(await storage.instances.find(workspace.id, instance.id)).toEqual(instance);
      expect(await storage.messages.find(workspace.id, first.id)).toEqual(first);
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ message: first, tries: 0 }]);
    });

    it('erases the session and leaves the groups on request', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await storage.sessions.save(lease, new Map([['creds', Uint8Array.of(1)]]));
      const groups = [{ networkId: 'g1', name: 'Team', participantsCount: 3 }];
      await storage.groups.save({ lease, workspaceId: workspace.id, groups, now: NOW });
      const kept = await storage.instances.write(renaming({ ...instance, sealedProxyUrl: 'sealed' }, 'Kept'));
      expect(await storage.sessions.load(instance.id)).toHaveProperty('size', 1);
      expect(await storage.groups.list(workspace.id, instance.id)).toHaveLength(1);
      if (kept.kind !== 'written') throw new Error('Not written.');
      await storage.instances.write({ ...renaming(kept.instance, 'Erased'), forgetNumber: true });
      expect(await storage.sessions.load(instance.id)).toHaveProperty('size', 0);
      expect(await storage.groups.list(workspace.id, instance.id)).toEqual([]);
      // The proxy belongs to the instance, not to the number.
      expect(await storage.instances.find(workspace.id, instance.id)).toMatchObject({
        name: 'Erased',
        sealedProxyUrl: 'sealed',
      });
    });
  });

  describe('the count of new people', () => {
    itAlways('goes up to its limit, and starts again on each day', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const count = (from: number, limit: number): Promise<string> =>
        storage.instances.admitNewPerson(lease, { from, limit });
      const together = await Promise.all([1, 2, 3, 4].map(() => count(NOW, 2)));
      expect(together.toSorted()).toEqual(['admitted', 'admitted', 'limit_reached', 'limit_reached']);
      expect(await count(NOW, 3)).toBe('admitted');
      expect(await count(NOW, 2)).toBe('limit_reached');
      expect(await count(NOW + DAY, 1)).toBe('admitted');
      expect(await count(NOW + DAY, 1)).toBe('limit_reached');
      expect(await count(NOW + 2 * DAY, 0)).toBe('limit_reached');
      // The instance is the same, so that its version is not raised.
      expect(await storage.instances.find(workspace.id, instance.id)).toEqual(instance);
      await storage.instances.write(renaming(instance, 'New'));
      expect(await count(NOW + DAY, 1)).toBe('limit_reached');
    });

    itAlways('belongs to its instance, and is not raised under a lost lease', async () => {
      const storage = await open();
      const { workspace, lease } = await storeLeasedInstance(storage);
      const otherLease = await takeLease(storage, await storeInstance(storage, workspace));
      const count = { from: NOW, limit: 1 };
      expect(await storage.instances.admitNewPerson(lease, count)).toBe('admitted');
      expect(await storage.instances.admitNewPerson(otherLease, count)).toBe('admitted');
      const lost = { ...lease, epoch: lease.epoch - 1 };
      expect(await storage.instances.admitNewPerson(lost, { ...count, limit: 2 })).toBe('fenced');
      expect(await storage.instances.admitNewPerson(lease, { ...count, limit: 2 })).toBe('admitted');
    });
  });

  describe('a sign of life', () => {
    it('is noted without a version, never backwards', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await storage.instances.touch(lease, NOW + 10);
      await storage.instances.touch(lease, NOW + 5);
      expect(await storage.instances.find(workspace.id, instance.id)).toEqual({
        ...instance,
        lastSeenAt: NOW + 10,
      });
    });

    it('is noted for each of many instances in one batch, with the latest time of each', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const other = await storeInstance(storage, workspace);
      const otherLease = await takeLease(storage, other);
      const lost = { ...otherLease, epoch: otherLease.epoch + 1 };
      await Promise.all([
        storage.instances.touch(lease, NOW + 10),
        storage.instances.touch(lost, NOW + 30),
        storage.instances.touch(otherLease, NOW + 20),
        storage.instances.touch(lease, NOW + 5),
      ]);
      expect(await storage.instances.list(workspace.id)).toMatchObject([
        { id: instance.id, lastSeenAt: NOW + 10 },
        { id: other.id, lastSeenAt: NOW + 20 },
      ]);
    });

    it('outlives a write that was decided before it', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      await storage.instances.touch(lease, NOW + 10);
      expect(await storage.instances.write(renaming(instance, 'New'))).toEqual({
        kind: 'written',
        instance: { ...instance, name: 'New', lastSeenAt: NOW + 10, version: 2 },
      });
    });

    it('is nothing when the lease is lost', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await storage.instances.touch(await loseLease(storage, lease), NOW);
      expect(await storage.instances.find(workspace.id, instance.id)).toEqual(instance);
    });
  });

  describe('deleting an instance', () => {
    it('takes session, groups, lease and queue with it and leaves its messages', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await storeEndpoint(storage, workspace, { events: ['message.failed'] });
      const [message] = await storeQueuedMessages(storage, instance, 1);
      await storage.sessions.save(lease, new Map([['creds', Uint8Array.of(1)]]));
      const groups = [{ networkId: 'g1', name: 'Team', participantsCount: 3 }];
      await storage.groups.save({ lease, workspaceId: workspace.id, groups, now: NOW });
      const { id: groupId } = only(await storage.groups.list(workspace.id, instance.id));

      expect(await storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE })).toBe('deleted');
      expect(await storage.instances.find(workspace.id, instance.id)).toBeNull();
      expect(await storage.instances.list(workspace.id)).toEqual([]);
      expect(await storage.sessions.load(instance.id)).toHaveProperty('size', 0);
      expect(await storage.groups.list(workspace.id, instance.id)).toEqual([]);
      expect(await storage.groups.find(workspace.id, instance.id, groupId)).toBeNull();
      expect(await storage.groups.findByNetworkId(instance.id, 'g1')).toBeNull();
      expect(await storage.leases.find(instance.id, NOW)).toBeNull();
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([]);
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(failedWithQueue(message));
      expect(await claim(storage, NOW)).toHaveLength(1);
    });

    it('makes room for another', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      expect(await storage.instances.insert(anInstance(workspace), 1)).toBe('limit_reached');
      await storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE });
      expect(await storage.instances.insert(anInstance(workspace), 1)).toBe('inserted');
    });

    it('is stale when the instance has changed', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await storage.instances.write(renaming(instance, 'New'));
      expect(await storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE })).toBe('stale');
      expect(await storage.instances.find(workspace.id, instance.id)).not.toBeNull();
      const foreign = { ...instance, workspaceId: (await storeWorkspace(storage)).id, version: 2 };
      expect(await storage.instances.delete({ instance: foreign, lease, failQueued: QUEUE_FAILURE })).toBe(
        'stale',
      );
    });

    it('is fenced under a lost lease, and when it is gone', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await loseLease(storage, lease);
      expect(await storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE })).toBe('fenced');
      expect(await storage.instances.find(workspace.id, instance.id)).toEqual(instance);
      const current = await takeLease(storage, instance, { owner: 'next', now: NOW * 3 });
      expect(await storage.instances.delete({ instance, lease: current, failQueued: QUEUE_FAILURE })).toBe(
        'deleted',
      );
      expect(await storage.instances.delete({ instance, lease: current, failQueued: QUEUE_FAILURE })).toBe(
        'fenced',
      );
      expect(await storage.instances.write({ ...renaming(instance, 'Late'), lease: current })).toEqual({
        kind: 'fenced',
      });
    });
  });
}
