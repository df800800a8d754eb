import { describe, expect } from 'vitest';
import { IDEMPOTENCY_WINDOW_MS, idsOfOrder, orderOfId } from '@trunkline/core/spi/storage';
import type { Acceptance, Instance, Message } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMessage, anIdempotencyRecord, anInstance, NOW, testId } from './examples.ts';
import {
  sending,
  storeInstance,
  storeLeasedInstance,
  storeQueuedMessages,
  storeWorkspace,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function acceptanceContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  async function openConnected() {
    const storage = await open();
    const workspace = await storeWorkspace(storage);
    return { storage, workspace, instance: await storeInstance(storage, workspace) };
  }

  describe('accepting a message', () => {
    it('stores it, queues it and remembers its key', async () => {
      const { storage, workspace, instance } = await openConnected();
      const message = aMessage(instance, {
        type: 'image',
        text: null,
        caption: 'Ein Bild',
        groupId: testId('grp', NOW),
        to: null,
        media: { available: true, mimeType: 'image/png', size: 12, filename: 'ü.png', sha256: 'ab' },
      });
      const idempotency = anIdempotencyRecord(message);
      await storage.uploads.reserve(message.id, NOW);
      expect(await storage.messages.accept(of(message, { idempotency }))).toEqual({ kind: 'accepted' });
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
      expect(await storage.messages.findOutbound(instance.id, message.networkId)).toEqual(message);
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ message, tries: 0 }]);
      expect(await storage.messages.findIdempotencyRecord(workspace.id, idempotency.key)).toEqual(
        idempotency,
      );
    });

    it('is hidden from other workspaces and instances', async () => {
      const { storage, workspace, instance } = await openConnected();
      const other = await storeWorkspace(storage);
      const neighbour = await storeInstance(storage, workspace);
      const message = aMessage(instance);
      await storage.messages.accept(of(message, { idempotency: anIdempotencyRecord(message) }));
      expect(await storage.messages.find(other.id, message.id)).toBeNull();
      expect(await storage.messages.findIdempotencyRecord(other.id, 'order-1')).toBeNull();
      expect(await storage.messages.findOutbound(neighbour.id, message.networkId)).toBeNull();
      expect(await storage.messages.findOutbound(instance.id, 'unknown')).toBeNull();
    });

    it('is found by a readable network id among the ids that this leads to', async () => {
      const { storage, workspace, instance } = await openConnected();
      const neighbour = await storeInstance(storage, workspace);
      const readable = aMessage(instance);
      const own = idsOfOrder('msg', orderOfId('msg', readable.id));
      const ids = [idsOfOrder('msg', { ms: NOW, sequence: 1 }), own];
      // `twin` has an id of the same order, as another process may make in the same millisecond.
      const twin = aMessage(neighbour, { id: own.last, networkId: readable.networkId });
      const other = aMessage(instance);
      for (const message of [twin, readable, other]) {
        await storage.messages.accept(of(message, { hasReadableNetworkId: message !== other }));
      }
      const { networkId } = readable;
      expect(await storage.messages.findOutbound(instance.id, networkId, ids)).toEqual(readable);
      expect(await storage.messages.findOutbound(neighbour.id, networkId, ids)).toEqual(twin);
      expect(await storage.messages.findOutbound(instance.id, 'unknown', ids)).toBeNull();
      // A message with an unreadable network id is found whatever `ids` are passed.
      expect(await storage.messages.findOutbound(instance.id, other.networkId, ids)).toEqual(other);
      expect(await storage.messages.findOutbound(instance.id, other.networkId)).toEqual(other);
    });

    it('remembers a key, whatever the second request asks for', async () => {
      const { storage, workspace, instance } = await openConnected();
      const first = aMessage(instance);
      const record = anIdempotencyRecord(first);
      await storage.messages.accept(of(first, { idempotency: record }));

      const second = aMessage(instance, { createdAt: NOW + 1 });
      const again = anIdempotencyRecord(second, { fingerprint: 'something else' });
      const result = await storage.messages.accept(of(second, { idempotency: again }));
      expect(result).toEqual({ kind: 'remembered', record });
      expect(await storage.messages.find(workspace.id, second.id)).toBeNull();
      expect(await storage.messages.findIdempotencyRecord(workspace.id, record.key)).toEqual(record);
    });

    it('keeps keys apart by workspace', async () => {
      const { storage, instance } = await openConnected();
      const elsewhere = await storeInstance(storage, await storeWorkspace(storage));
      for (const message of [aMessage(instance), aMessage(elsewhere)]) {
        const idempotency = anIdempotencyRecord(message);
        expect(await storage.messages.accept(of(message, { idempotency }))).toEqual({ kind: 'accepted' });
      }
    });

    it('forgets a key at the end of its window', async () => {
      const { storage, workspace, instance } = await openConnected();
      const first = aMessage(instance);
      await storage.messages.accept(of(first, { idempotency: anIdempotencyRecord(first) }));

      const early = aMessage(instance, { createdAt: NOW + IDEMPOTENCY_WINDOW_MS - 1 });
      const remembered = await storage.messages.accept(
        of(early, { idempotency: anIdempotencyRecord(early) }),
      );
      expect(remembered).toMatchObject({ kind: 'remembered' });

      const late = aMessage(instance, { createdAt: NOW + IDEMPOTENCY_WINDOW_MS });
      const record = anIdempotencyRecord(late);
      // An expired record is found until a new record replaces it, because the caller checks its age.
      expect(await storage.messages.findIdempotencyRecord(workspace.id, 'order-1')).toMatchObject({
        messageId: first.id,
      });
      expect(await storage.messages.accept(of(late, { idempotency: record }))).toEqual({ kind: 'accepted' });
      expect(await storage.messages.findIdempotencyRecord(workspace.id, 'order-1')).toEqual(record);
    });

    it('accepts one of fifty that come concurrently with one key', async () => {
      const { storage, instance } = await openConnected();
      const results = await Promise.all(
        Array.from({ length: 50 }, () => {
          const message = aMessage(instance);
          return storage.messages.accept(of(message, { idempotency: anIdempotencyRecord(message) }));
        }),
      );
      expect(results.filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
      const remembered = results.flatMap((result) =>
        result.kind === 'remembered' ? [result.record.messageId] : [],
      );
      expect(remembered).toHaveLength(49);
      expect(new Set(remembered).size).toBe(1);
      const [head] = await storage.messages.queueHeads([instance.id], NOW);
      expect(must(head).message.id).toBe(remembered[0]);
    });

    it('refuses a message whose instance does not exist', async () => {
      const { storage, workspace, instance } = await openConnected();
      const ghost = aMessage(anInstance(workspace));
      expect(await storage.messages.accept(of(ghost))).toEqual({ kind: 'instance_gone' });
      const other = await storeWorkspace(storage);
      const foreign = aMessage({ ...instance, workspaceId: other.id });
      expect(await storage.messages.accept(of(foreign))).toEqual({ kind: 'instance_gone' });
      expect(await storage.messages.find(other.id, foreign.id)).toBeNull();
    });

    const accept = async (changes: Partial<Instance>): Promise<string> => {
      const storage = await open();
      const instance = await storeInstance(storage, await storeWorkspace(storage), changes);
      return (await storage.messages.accept(of(aMessage(instance)))).kind;
    };

    it.each(['connected', 'connecting', 'disconnected'] as const)(
      'takes one whose number is linked, wanted and %s',
      async (status) => {
        expect(await accept({ status })).toBe('accepted');
      },
    );

    it.each<Partial<Instance>>([
      { status: 'created', desired: 'stopped', phoneNumber: null },
      { status: 'connecting', phoneNumber: null },
      { status: 'qr_required', phoneNumber: null },
      { status: 'qr_required' },
      { status: 'disconnected', phoneNumber: null },
      { status: 'disconnected', desired: 'stopped' },
      { status: 'logged_out', desired: 'stopped', phoneNumber: null },
      { status: 'error', desired: 'stopped' },
    ])('refuses one whose instance is %o', async (changes) => {
      expect(await accept(changes)).toBe('instance_not_connected');
    });

    it('follows writes of the instance, even if its status stays the same', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      let instance = await storeInstance(storage, workspace, { status: 'connecting', phoneNumber: null });
      const acceptAfter = async (changes: Partial<Instance>): Promise<string> => {
        const next = { ...instance, ...changes };
        const written = await storage.instances.write({ instance: next, event: null, lease: null });
        if (written.kind === 'written') instance = written.instance;
        return (await storage.messages.accept(of(aMessage(instance)))).kind;
      };
      expect(await acceptAfter({ phoneNumber: '15550100', status: 'connected' })).toBe('accepted');
      expect(await acceptAfter({ status: 'connecting' })).toBe('accepted');
      expect(await acceptAfter({ status: 'disconnected' })).toBe('accepted');
      expect(await acceptAfter({ desired: 'stopped' })).toBe('instance_not_connected');
      expect(await acceptAfter({ status: 'connecting', desired: 'running' })).toBe('accepted');
      expect(await acceptAfter({ status: 'qr_required' })).toBe('instance_not_connected');
    });

    it('refuses one above the backlog limit', async () => {
      const { storage, workspace, instance } = await openConnected();
      const neighbour = await storeInstance(storage, workspace);
      await storeQueuedMessages(storage, instance, 3);
      expect(await storage.messages.accept(of(aMessage(instance), { backlogLimit: 3 }))).toEqual({
        kind: 'backlog_full',
      });
      expect(await storage.messages.accept(of(aMessage(neighbour), { backlogLimit: 3 }))).toEqual({
        kind: 'accepted',
      });
      expect(await storage.messages.accept(of(aMessage(instance), { backlogLimit: 4 }))).toEqual({
        kind: 'accepted',
      });
    });

    it('counts only what is still queued', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const [first] = await storeQueuedMessages(storage, instance, 2);
      expect(await storage.messages.accept(of(aMessage(instance), { backlogLimit: 2 }))).toEqual({
        kind: 'backlog_full',
      });
      await storage.messages.change(lease, sending(first));
      expect(await storage.messages.accept(of(aMessage(instance), { backlogLimit: 2 }))).toEqual({
        kind: 'accepted',
      });
    });

    it('keeps to the backlog limit when many come concurrently', async () => {
      const { storage, instance } = await openConnected();
      const accepts = Array.from({ length: 30 }, () =>
        storage.messages.accept(of(aMessage(instance), { backlogLimit: 7 })),
      );
      const results = await Promise.all(accepts);
      expect(results.filter(({ kind }) => kind === 'accepted')).toHaveLength(7);
      expect(results.filter(({ kind }) => kind === 'backlog_full')).toHaveLength(23);
    });

    it('counts a trial only on request, and only accepted messages', async () => {
      const { storage, workspace, instance } = await openConnected();
      const used = async (): Promise<number> =>
        must(await storage.workspaces.find(workspace.id)).trialMessagesUsed;
      await storage.messages.accept(of(aMessage(instance)));
      expect(await used()).toBe(0);
      await storage.messages.accept(of(aMessage(instance), { trialLimit: 2 }));
      expect(await used()).toBe(1);
      await storage.messages.accept(of(aMessage(instance), { trialLimit: 2, backlogLimit: 2 }));
      expect(await used()).toBe(1);
      await storage.messages.accept(of(aMessage(instance), { trialLimit: 2 }));
      expect(await used()).toBe(2);
      const refused = aMessage(instance);
      const idempotency = anIdempotencyRecord(refused);
      const result = await storage.messages.accept(of(refused, { trialLimit: 2, idempotency }));
      expect(result).toEqual({ kind: 'trial_used_up' });
      expect(await used()).toBe(2);
      expect(await storage.messages.find(workspace.id, refused.id)).toBeNull();
      expect(await storage.messages.findIdempotencyRecord(workspace.id, idempotency.key)).toBeNull();
    });

    it('keeps to the trial when many come concurrently', async () => {
      const { storage, workspace, instance } = await openConnected();
      const accepts = Array.from({ length: 30 }, () =>
        storage.messages.accept(of(aMessage(instance), { trialLimit: 7 })),
      );
      const results = await Promise.all(accepts);
      expect(results.filter(({ kind }) => kind === 'accepted')).toHaveLength(7);
      expect(await storage.workspaces.find(workspace.id)).toHaveProperty('trialMessagesUsed', 7);
    });

    it('checks key, instance, connection, trial and backlog in this order', async () => {
      const { storage, workspace, instance } = await openConnected();
      const message = aMessage(instance);
      await storage.messages.accept(of(message, { idempotency: anIdempotencyRecord(message) }));
      const offline = await storeInstance(storage, workspace, { status: 'error' });
      const full = { trialLimit: 0, backlogLimit: 0 };

      const ghost = aMessage(anInstance(workspace));
      const replay = of(ghost, { ...full, idempotency: anIdempotencyRecord(ghost) });
      expect(await storage.messages.accept(replay)).toMatchObject({ kind: 'remembered' });
      expect(await storage.messages.accept(of(ghost, full))).toEqual({ kind: 'instance_gone' });
      expect(await storage.messages.accept(of(aMessage(offline), full))).toEqual({
        kind: 'instance_not_connected',
      });
      expect(await storage.messages.accept(of(aMessage(instance), full))).toEqual({ kind: 'trial_used_up' });
      const unlimited = of(aMessage(instance), { ...full, trialLimit: null });
      expect(await storage.messages.accept(unlimited)).toEqual({ kind: 'backlog_full' });
    });

    it('does not harm messages in the same commit if one fails', async () => {
      const { storage, workspace, instance } = await openConnected();
      const taken = aMessage(instance);
      await storage.messages.accept(of(taken));
      const bad = { ...aMessage(instance), id: taken.id };
      const messages = Array.from({ length: 20 }, (_, index) => (index === 10 ? bad : aMessage(instance)));
      const results = await Promise.allSettled(
        messages.map((message, index) =>
          storage.messages.accept(
            of(message, {
              trialLimit: 100,
              idempotency: anIdempotencyRecord(message, { key: `order-${index}` }),
            }),
          ),
        ),
      );
      const accepted = results.map(
        (result) => result.status === 'fulfilled' && result.value.kind === 'accepted',
      );
      expect(accepted).toEqual(messages.map((message) => message !== bad));
      for (const message of messages) {
        expect(await storage.messages.find(workspace.id, message.id)).toEqual(
          message === bad ? taken : message,
        );
      }
      expect(await storage.messages.findIdempotencyRecord(workspace.id, 'order-10')).toBeNull();
      expect(await storage.workspaces.find(workspace.id)).toHaveProperty('trialMessagesUsed', 19);
      // Twenty are queued: `taken` and nineteen of `messages`.
      expect(await storage.messages.accept(of(aMessage(instance), { backlogLimit: 20 }))).toEqual({
        kind: 'backlog_full',
      });
      expect(await storage.messages.accept(of(aMessage(instance), { backlogLimit: 21 }))).toEqual({
        kind: 'accepted',
      });
    });

    it('decides on each of a mixed batch by itself', async () => {
      const { storage, workspace, instance } = await openConnected();
      const offline = await storeInstance(storage, workspace, { status: 'error' });
      const [first, second] = [aMessage(instance), aMessage(instance)];
      const results = await Promise.all([
        storage.messages.accept(of(first, { idempotency: anIdempotencyRecord(first) })),
        storage.messages.accept(of(aMessage(offline))),
        storage.messages.accept(of(aMessage(anInstance(workspace)))),
        storage.messages.accept(of(second, { idempotency: anIdempotencyRecord(second) })),
        storage.messages.accept(of(aMessage(instance), { backlogLimit: 1 })),
        storage.messages.accept(of(aMessage(instance), { backlogLimit: 2 })),
      ]);
      expect(results.map(({ kind }) => kind)).toEqual([
        'accepted',
        'instance_not_connected',
        'instance_gone',
        'remembered',
        'backlog_full',
        'accepted',
      ]);
    });
  });
}

function of(message: Message, changes: Partial<Acceptance> = {}): Acceptance {
  return { message, idempotency: null, backlogLimit: 1000, trialLimit: null, ...changes };
}
