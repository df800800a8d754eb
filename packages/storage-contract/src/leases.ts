import { describe, expect } from 'vitest';
import type { EventRecord, Lease } from '@trunkline/core/spi/storage';
import { must, only } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import {
  aDownload,
  aHistoryEntry,
  aMessage,
  anActivity,
  anEvent,
  anInboundMessage,
  anInstance,
  NOW,
} from './examples.ts';
import {
  QUEUE_FAILURE,
  renaming,
  sending,
  storeInstance,
  storeLeasedInstance,
  storeQueuedMessages,
  storeWorkspace,
  takeLease,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const TTL = 30_000;
const HOUR = 3_600_000;
const FILE = { available: true, mimeType: 'image/png', size: 12, filename: 'ü.png', sha256: 'ab' };

export function leaseContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('leases', () => {
    it('are taken on instances that need a gateway', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const running = await storeInstance(storage, workspace, { desired: 'running', status: 'connecting' });
      await storeInstance(storage, workspace, { desired: 'stopped', status: 'connected' });
      const operation = { id: 'opr_1', kind: 'logout', requestedAt: NOW } as const;
      const stopping = await storeInstance(storage, workspace, { desired: 'stopped', operation });

      const claim = { owner: 'a', now: NOW, networks: ['sandbox'], ttlMs: TTL, limit: 10 };
      expect(await storage.leases.claim(claim)).toEqual([
        { instance: running, lease: { instanceId: running.id, owner: 'a', epoch: 1 }, takenFrom: null },
        { instance: stopping, lease: { instanceId: stopping.id, owner: 'a', epoch: 1 }, takenFrom: null },
      ]);
      expect(await storage.leases.claim(claim)).toEqual([]);
    });

    itAlways('are taken only on instances of the networks that the owner has', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const [first, second, third] = [
        await storeInstance(storage, workspace, { createdAt: NOW, network: 'pigeon' }),
        await storeInstance(storage, workspace, { createdAt: NOW + 1, network: 'carrier' }),
        await storeInstance(storage, workspace, { createdAt: NOW + 2, network: 'pigeon' }),
      ];
      const take = async (networks: readonly string[], now: number, limit = 10) =>
        (await storage.leases.claim({ owner: 'a', networks, now, ttlMs: TTL, limit })).map(
          ({ instance }) => instance,
        );
      expect(await take([], NOW)).toEqual([]);
      expect(await take(['sandbox'], NOW)).toEqual([]);
      expect(await take(['pigeon'], NOW)).toEqual([first, third]);
      expect(await take(['carrier', 'pigeon'], NOW)).toEqual([second]);
      // Across networks, the longest free instances come first, up to the limit.
      expect(await take(['pigeon', 'carrier'], NOW + TTL, 2)).toEqual([first, second]);
    });

    it('are reserved and free too far ahead only for owners with the network', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const instance = await storeInstance(storage, workspace, { network: 'pigeon' });
      const claim = { owner: 'b', now: NOW, ttlMs: TTL, limit: 10 };
      const [taken] = await storage.leases.claim({ ...claim, owner: 'a', networks: ['pigeon'] });
      await storage.leases.release(must(taken).lease, { owner: 'b', until: NOW + 1_000 });
      expect(await storage.leases.claim({ ...claim, networks: ['carrier'] })).toEqual([]);
      const [reserved] = await storage.leases.claim({ ...claim, now: NOW + HOUR, networks: ['pigeon'] });
      expect(reserved?.instance.id).toBe(instance.id);
      expect(await storage.leases.claim({ ...claim, owner: 'c', networks: ['carrier'] })).toEqual([]);
      expect(await storage.leases.claim({ ...claim, owner: 'c', networks: ['pigeon'] })).toHaveLength(1);
    });

    itAlways('are needed on the networks of instances that should run or have an operation', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      expect(await storage.leases.neededNetworks()).toEqual([]);
      const operation = { id: 'opr_1', kind: 'logout', requestedAt: NOW } as const;
      for (const changes of [
        { network: 'sandbox' },
        { network: 'pigeon' },
        { network: 'pigeon' },
        { network: 'carrier', desired: 'stopped', operation },
        { network: 'idle', desired: 'stopped' },
      ] as const)
        await storeInstance(storage, workspace, changes);
      expect(await storage.leases.neededNetworks()).toEqual(['carrier', 'pigeon', 'sandbox']);
    });

    it('end exactly at their millisecond', async () => {
      const storage = await open();
      const instance = await storeInstance(storage, await storeWorkspace(storage));
      const lease = await takeLease(storage, instance, { owner: 'a' });
      const claim = { owner: 'b', networks: ['sandbox'], ttlMs: TTL, limit: 10 };

      expect(await storage.leases.find(instance.id, NOW + TTL - 1)).toEqual(lease);
      expect(await storage.leases.claim({ ...claim, now: NOW + TTL - 1 })).toEqual([]);
      expect(await storage.leases.find(instance.id, NOW + TTL)).toBeNull();
      const taken = await storage.leases.claim({ ...claim, now: NOW + TTL });
      expect(only(taken).lease).toEqual({ instanceId: instance.id, owner: 'b', epoch: 2 });
    });

    it('are free if they end too far ahead: the clock was set back since', async () => {
      const storage = await open();
      const instance = await storeInstance(storage, await storeWorkspace(storage));
      await takeLease(storage, instance, { owner: 'a', now: NOW + HOUR });
      const claim = { owner: 'b', networks: ['sandbox'], ttlMs: TTL, limit: 10 };
      // A lease that began up to one lease length ahead is not free, because the claiming process may have been
      // suspended since it read its clock.
      expect(await storage.leases.claim({ ...claim, now: NOW + HOUR - TTL })).toEqual([]);
      expect(await storage.leases.claim({ ...claim, now: NOW, leaveAhead: true })).toEqual([]);
      const taken = await storage.leases.claim({ ...claim, now: NOW });
      expect(only(taken).lease).toEqual({ instanceId: instance.id, owner: 'b', epoch: 2 });
      expect(await storage.leases.claim({ ...claim, now: NOW })).toEqual([]);
    });

    it('are taken after expired ones if they end too far ahead, up to the limit', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const ahead = await storeInstance(storage, workspace, { createdAt: NOW - 2 });
      await takeLease(storage, ahead, { now: NOW + HOUR });
      const fresh = await storeInstance(storage, workspace, { createdAt: NOW - 1 });
      const claim = { owner: 'b', now: NOW, networks: ['sandbox'], ttlMs: TTL };
      const first = await storage.leases.claim({ ...claim, limit: 1 });
      expect(only(first).lease.instanceId).toBe(fresh.id);
      const second = await storage.leases.claim({ ...claim, limit: 1 });
      expect(only(second).lease.instanceId).toBe(ahead.id);
    });

    it('are taken from the owner that let them expire, or from no owner if they were released', async () => {
      const storage = await open();
      const instance = await storeInstance(storage, await storeWorkspace(storage));
      const take = async (owner: string, now: number) =>
        only(await storage.leases.claim({ owner, now, networks: ['sandbox'], ttlMs: TTL, limit: 10 }));
      expect(await take('a', NOW)).toHaveProperty('takenFrom', null);
      const { takenFrom, lease } = await take('b', NOW + TTL);
      expect(takenFrom).toBe('a');
      await storage.leases.release(lease);
      expect(await take('c', NOW + TTL + 1)).toHaveProperty('takenFrom', null);
      expect(await take('c', NOW + 3 * TTL)).toHaveProperty('takenFrom', 'c');
      expect(instance.id).toBe(lease.instanceId);
    });

    it('get the next epoch with every claim, by the same owner too', async () => {
      const storage = await open();
      const instance = await storeInstance(storage, await storeWorkspace(storage));
      for (const epoch of [1, 2, 3]) {
        expect(await takeLease(storage, instance, { now: NOW + epoch * TTL })).toMatchObject({ epoch });
      }
    });

    it('pass writes until there is another owner, and no longer', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const instance = await storeInstance(storage, workspace);
      const lease = await takeLease(storage, instance, { owner: 'a' });
      // The lease has expired, but no other owner has taken it.
      await storage.instances.touch(lease, NOW + 5 * TTL);
      expect(await storage.instances.find(workspace.id, instance.id)).toHaveProperty(
        'lastSeenAt',
        NOW + 5 * TTL,
      );
      await takeLease(storage, instance, { owner: 'b', now: NOW + 5 * TTL });
      expect(await storage.instances.write({ ...renaming(instance, 'Late'), lease })).toEqual({
        kind: 'fenced',
      });
    });

    itAlways('that the same owner has taken again give the earlier lease no right', async () => {
      const storage = await open();
      const { workspace, instance, lease: earlier } = await storeLeasedInstance(storage);
      const [sent, ...others] = await storeQueuedMessages(storage, instance, 2);
      const waiting = only(others);
      const arrival = anInboundMessage(instance, { type: 'image', media: { ...FILE, available: false } });
      const download = aDownload(arrival);
      const event = (): EventRecord => anEvent(workspace);
      await storage.messages.receive(earlier, { message: arrival, senderId: 's1', event: event(), download });
      await storage.uploads.reserve(arrival.id, NOW);
      const later = await takeLease(storage, instance, { owner: earlier.owner, now: NOW + HOUR });
      expect(later).toEqual({ ...earlier, epoch: earlier.epoch + 1 });

      const writes: Readonly<Record<string, (lease: Lease) => Promise<unknown>>> = {
        'sessions.save': (lease) => storage.sessions.save(lease, new Map([['creds', Uint8Array.of(1)]])),
        'groups.save': (lease) => {
          const groups = [{ networkId: 'g1', name: 'G', participantsCount: 1 }];
          return storage.groups.save({ lease, workspaceId: workspace.id, groups, full: false, now: NOW });
        },
        'contacts.save': async (lease) => {
          const report = { networkId: 'lid:1', aliases: [], phoneNumber: null, name: 'Ada', username: null };
          const saved = await storage.contacts.save({ lease, workspaceId: workspace.id, report, now: NOW });
          return saved === 'fenced' ? saved : 'saved';
        },
        'messages.change': (lease) => storage.messages.change(lease, sending(sent)),
        'messages.postpone': (lease) => {
          const postponement = { messageId: waiting.id, tries: 2, dueAt: NOW + HOUR };
          return storage.messages.postpone(lease, postponement);
        },
        'messages.receive': (lease) => {
          const message = anInboundMessage(instance);
          return storage.messages.receive(lease, { message, senderId: 's2', event: event() });
        },
        'downloads.postpone': (lease) => {
          const postponement = { messageId: arrival.id, tries: 3, dueAt: NOW + HOUR };
          return storage.downloads.postpone(lease, postponement);
        },
        'downloads.complete': (lease) =>
          storage.downloads.complete(lease, { message: { ...arrival, media: FILE }, event: event() }),
        'downloads.add': (lease) => storage.downloads.add(lease, download),
        'activities.record': (lease) => storage.activities.record(lease, anActivity(event())),
        'activities.recordEcho': (lease) => {
          const message = aMessage(instance, { status: 'sent', queuedAt: null, sentAt: NOW });
          return storage.activities.recordEcho(lease, { message, event: event(), download: null });
        },
        'instances.touch': async (lease) => {
          await storage.instances.touch(lease, NOW + HOUR);
          const found = must(await storage.instances.find(workspace.id, instance.id));
          return found.lastSeenAt === NOW + HOUR ? 'touched' : 'fenced';
        },
        'instances.note': async (lease) => {
          const entry = aHistoryEntry(instance);
          await storage.instances.note(lease, entry);
          const page = { from: null, limit: 10 } as const;
          const { rows } = await storage.history.list(workspace.id, instance.id, page, 0);
          return rows.some(({ id }) => id === entry.id) ? 'noted' : 'fenced';
        },
        'instances.write': async (lease) => {
          const { kind } = await storage.instances.write({ ...renaming(instance, 'Late'), lease });
          return kind;
        },
        'leases.release': async (lease) => {
          await storage.leases.release(lease, { owner: lease.owner, until: NOW + 2 * HOUR });
          return (await storage.leases.find(instance.id, NOW + HOUR)) ? 'fenced' : 'released';
        },
        'instances.delete': (lease) =>
          storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE }),
      };
      const outcomes = async (lease: Lease): Promise<Readonly<Record<string, unknown>>> => {
        const all: Record<string, unknown> = {};
        for (const [name, write] of Object.entries(writes)) all[name] = await write(lease);
        return all;
      };
      const refused = await outcomes(earlier);
      expect(refused).toEqual(Object.fromEntries(Object.keys(writes).map((name) => [name, 'fenced'])));
      const { 'instances.delete': _, ...rest } = await outcomes(later);
      expect(rest).toEqual({
        'sessions.save': 'saved',
        'groups.save': 'saved',
        'contacts.save': 'saved',
        'messages.change': 'changed',
        'messages.postpone': 'postponed',
        'messages.receive': 'received',
        'downloads.postpone': 'postponed',
        'downloads.complete': 'completed',
        'downloads.add': 'added',
        'activities.record': 'recorded',
        'activities.recordEcho': 'recorded',
        'instances.touch': 'touched',
        'instances.note': 'noted',
        'instances.write': 'written',
        'leases.release': 'released',
      });
    });

    it('are taken longest free first, up to the limit', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const late = await storeInstance(storage, workspace, { createdAt: NOW - 4 });
      await takeLease(storage, late, { now: NOW + 20 });
      const early = await storeInstance(storage, workspace, { createdAt: NOW - 3 });
      await takeLease(storage, early, { now: NOW + 10 });
      const returned = await storeInstance(storage, workspace, { createdAt: NOW - 2 });
      await storage.leases.release(await takeLease(storage, returned, { now: NOW + 30 }));
      const fresh = await storeInstance(storage, workspace, { createdAt: NOW - 1 });

      const claim = { owner: 'b', now: NOW + 20 + TTL, networks: ['sandbox'], ttlMs: TTL };
      const first = await storage.leases.claim({ ...claim, limit: 3 });
      expect(first.map(({ lease }) => lease.instanceId)).toEqual([returned.id, fresh.id, early.id]);
      const rest = await storage.leases.claim({ ...claim, limit: 3 });
      expect(rest.map(({ lease }) => lease.instanceId)).toEqual([late.id]);
    });

    it('become free when many are released in one call, and those that were lost stay as they are', async () => {
      const storage = await open();
      const { leases } = storage;
      const workspace = await storeWorkspace(storage);
      const [first, second, third] = [
        await storeInstance(storage, workspace),
        await storeInstance(storage, workspace),
        await storeInstance(storage, workspace),
      ];
      const claim = { owner: 'a', now: NOW, networks: ['sandbox'], ttlMs: TTL, limit: 10 };
      const claimed = (await leases.claim(claim)).map(({ lease }) => lease);
      const leaseOf = ({ id }: { readonly id: string }): Lease =>
        must(claimed.find(({ instanceId }) => instanceId === id));
      const [own, reserved, held] = [leaseOf(first), leaseOf(second), leaseOf(third)];
      await Promise.all([
        leases.release(reserved, { owner: 'b', until: NOW + 1000 }),
        leases.release(own),
        leases.release({ ...held, epoch: held.epoch + 1 }),
        leases.release(own),
      ]);
      expect(await leases.find(third.id, NOW)).toEqual(held);
      const taken = async (owner: string): Promise<readonly string[]> =>
        (await leases.claim({ owner, now: NOW + 1, networks: ['sandbox'], ttlMs: TTL, limit: 10 })).map(
          ({ lease }) => lease.instanceId,
        );
      expect(await taken('c')).toEqual([first.id]);
      expect(await taken('b')).toEqual([second.id]);
    });

    it('can be released for another owner, which alone may claim them until the reservation ends', async () => {
      const storage = await open();
      const { instances, leases, processes } = storage;
      const workspace = await storeWorkspace(storage);
      const [first, second] = [
        await storeInstance(storage, workspace),
        await storeInstance(storage, workspace),
      ];
      const lease = await takeLease(storage, first, { owner: 'a' });
      const other = must(await leases.find(second.id, NOW));
      await leases.release(lease, { owner: 'b', until: NOW + 1000 });
      await leases.release(other, { owner: 'b', until: NOW + 1000 });
      expect(await instances.write({ ...renaming(first, 'Late'), lease })).toEqual({ kind: 'fenced' });
      expect(await leases.find(first.id, NOW)).toBeNull();
      const { owners } = await processes.register('b', { network: 'sandbox', now: NOW + 999, since: NOW });
      expect(owners).toMatchObject([{ owner: 'b', held: 2 }]);

      const claim = { now: NOW + 999, networks: ['sandbox'], ttlMs: TTL, limit: 1 };
      expect(await leases.claim({ ...claim, owner: 'a' })).toEqual([]);
      expect(await leases.claim({ ...claim, owner: '' })).toEqual([]);
      const taken = only(await leases.claim({ ...claim, owner: 'b' }));
      expect(taken.lease).toEqual({ instanceId: first.id, owner: 'b', epoch: 2 });
      const late = { ...claim, now: NOW + 1000, limit: 10 };
      expect(only(await leases.claim({ ...late, owner: 'a' })).lease).toEqual({
        instanceId: second.id,
        owner: 'a',
        epoch: 2,
      });
      // The reservation for `b` has ended, so it does not undo the claim of `a`.
      expect(await leases.claim({ ...late, owner: 'b' })).toEqual([]);
    });

    it('are not reserved for another owner once they are lost', async () => {
      const storage = await open();
      const { leases } = storage;
      const instance = await storeInstance(storage, await storeWorkspace(storage));
      const lost = await takeLease(storage, instance, { owner: 'a' });
      const held = await takeLease(storage, instance, { owner: 'b', now: NOW + TTL });
      await leases.release(lost, { owner: 'c', until: NOW + 5 * TTL });
      expect(
        await leases.claim({ owner: 'c', now: NOW + TTL, networks: ['sandbox'], ttlMs: TTL, limit: 1 }),
      ).toEqual([]);
      expect(await leases.find(instance.id, NOW + TTL)).toEqual(held);
    });

    it('go to one owner each when two claim concurrently', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      for (let index = 0; index < 20; index += 1) await storeInstance(storage, workspace);
      const claims = ['a', 'b', 'a', 'b'].map((owner) =>
        storage.leases.claim({ owner, now: NOW, networks: ['sandbox'], ttlMs: TTL, limit: 5 }),
      );
      const taken = (await Promise.all(claims)).flat();
      expect(new Set(taken.map(({ lease }) => lease.instanceId)).size).toBe(20);
      expect(taken.every(({ lease }) => lease.epoch === 1)).toBe(true);
    });

    itAlways('are renewed all together, with their instances as they are now', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const instance = await storeInstance(storage, workspace);
      const lease = await takeLease(storage, instance, { owner: 'a' });
      const others = await storeInstance(storage, workspace);
      await takeLease(storage, others, { owner: 'b' });
      // A stopped instance needs no gateway but is still held, because its owner has not released it yet.
      const stopped = { ...instance, desired: 'stopped' } as const;
      await storage.instances.write({ instance: stopped, event: null, lease: null });

      const renewed = await storage.leases.renew({ owner: 'a', now: NOW + TTL - 1, ttlMs: TTL });
      expect(renewed).toEqual([{ instance: { ...stopped, version: 2 }, lease }]);
      expect(await storage.leases.find(instance.id, NOW + 2 * TTL - 2)).toEqual(lease);
      expect(await storage.leases.find(instance.id, NOW + 2 * TTL - 1)).toBeNull();
      expect(await storage.leases.find(others.id, NOW + TTL)).toBeNull();
    });

    it('are not renewed once they have expired', async () => {
      const storage = await open();
      const instance = await storeInstance(storage, await storeWorkspace(storage));
      await takeLease(storage, instance, { owner: 'a' });
      expect(await storage.leases.renew({ owner: 'a', now: NOW + TTL, ttlMs: TTL })).toEqual([]);
      expect(await storage.leases.find(instance.id, NOW + TTL)).toBeNull();
    });

    it('are free immediately when released, and no longer give a right to write', async () => {
      const storage = await open();
      const instance = await storeInstance(storage, await storeWorkspace(storage));
      const lease = await takeLease(storage, instance, { owner: 'a' });
      await storage.leases.release(lease);
      expect(await storage.leases.find(instance.id, NOW)).toBeNull();
      expect(await storage.instances.write({ ...renaming(instance, 'Late'), lease })).toEqual({
        kind: 'fenced',
      });
      expect(await storage.leases.renew({ owner: 'a', now: NOW, ttlMs: TTL })).toEqual([]);
      expect(await takeLease(storage, instance, { owner: 'b' })).toMatchObject({ owner: 'b', epoch: 2 });
    });

    it('are not released by an owner that lost them', async () => {
      const storage = await open();
      const instance = await storeInstance(storage, await storeWorkspace(storage));
      const lost = await takeLease(storage, instance, { owner: 'a' });
      const held = await takeLease(storage, instance, { owner: 'a', now: NOW + TTL });
      await storage.leases.release(lost);
      expect(await storage.leases.find(instance.id, NOW + TTL)).toEqual(held);
    });

    it('do not exist for an instance that is unknown or was never claimed', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const instance = await storeInstance(storage, workspace);
      expect(await storage.leases.find(instance.id, NOW)).toBeNull();
      expect(await storage.leases.find(anInstance(workspace).id, NOW)).toBeNull();
      const claimed = await storage.leases.claim({
        owner: 'a',
        now: NOW,
        networks: ['sandbox'],
        ttlMs: TTL,
        limit: 0,
      });
      expect(claimed).toEqual([]);
      expect(must(await takeLease(storage, instance)).epoch).toBe(1);
    });
  });
}
