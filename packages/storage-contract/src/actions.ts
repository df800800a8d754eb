import { describe, expect } from 'vitest';
import { actionEntryId } from '@trunkline/core/spi/storage';
import type {
  ActionAcceptance,
  ActionAcceptanceResult,
  ActionOutcome,
  Message,
  MessageAction,
  Storage,
} from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { anAction, anEvent, anInboundMessage, aMessage, DAY, NOW, testId } from './examples.ts';
import {
  accept,
  claim,
  editingInPlace,
  loseLease,
  QUEUE_FAILURE,
  sending,
  storeEndpoint,
  storeInstance,
  storeLeasedInstance,
  storeQueuedMessages,
  storeWorkspace,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const ALL = { from: null, limit: 100 } as const;

export function actionContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  const acceptAction = (
    storage: Storage,
    action: MessageAction,
    changes: Partial<ActionAcceptance> = {},
  ): Promise<ActionAcceptanceResult> =>
    storage.actions.accept({ action, idempotency: null, backlogLimit: 1000, inPlace: null, ...changes });
  const actionOn = async (
    storage: Storage,
    message: Message,
    changes: Partial<MessageAction> = {},
  ): Promise<MessageAction> => {
    const action = anAction(message, changes);
    expect(await acceptAction(storage, action)).toEqual({ kind: 'accepted' });
    return action;
  };
  const heads = (storage: Storage, instanceId: string, now = NOW) =>
    storage.messages.queueHeads([instanceId], now, { limit: 10, withFiles: true });
  const succeeded = (action: MessageAction): ActionOutcome => ({
    action: { ...action, status: 'sent', sentAt: NOW + 5 },
    events: [anEvent({ id: action.workspaceId }, NOW, { type: 'message.reaction' })],
  });
  /** A received message, with the lease and the workspace of its instance. */
  const received = async (storage: Storage) => {
    const { workspace, instance, lease } = await storeLeasedInstance(storage);
    const message = anInboundMessage(instance);
    const event = anEvent(workspace, NOW, { type: 'message.received' });
    expect(await storage.messages.receive(lease, { message, senderId: 's1', event })).toBe('received');
    return { workspace, instance, lease, message };
  };

  describe('an action on a message', () => {
    itAlways('goes out behind its message, and before what is accepted later for the chat', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const [first] = await storeQueuedMessages(storage, instance, 1);
      const recipient = must(first.to);
      const action = await actionOn(storage, first, { recipient });
      const later = aMessage(instance, { createdAt: NOW + 2 });
      await accept(storage, later);
      const other = aMessage(instance, { to: '15550177', createdAt: NOW + 3 });
      await accept(storage, other);
      expect(await heads(storage, instance.id)).toEqual([
        { message: first, tries: 0 },
        { message: other, tries: 0 },
      ]);
      const sent = sending(first);
      await storage.messages.change(lease, sent);
      expect(await heads(storage, instance.id)).toEqual([
        { message: sent.message, action, tries: 0 },
        { message: other, tries: 0 },
      ]);
      expect(await storage.actions.finish(lease, succeeded(action))).toBe('finished');
      expect((await heads(storage, instance.id)).map(({ message }) => message)).toEqual([later, other]);
    });

    it('is stored with its outcome, newest first among those on its message', async () => {
      const storage = await open();
      const { workspace, instance, lease, message } = await received(storage);
      await storeEndpoint(storage, workspace, { events: ['message.reaction'] });
      const first = await actionOn(storage, message, { emoji: '❤️' });
      const second = await actionOn(storage, message, { emoji: null, createdAt: NOW + 1 });
      const outcome = succeeded(first);
      expect(await storage.actions.finish(lease, outcome)).toBe('finished');
      const { rows } = await storage.actions.list(workspace.id, message.id, ALL);
      expect(rows).toEqual([second, outcome.action]);
      const page = { from: { direction: 'older', id: second.id }, limit: 1 } as const;
      expect(await storage.actions.list(workspace.id, message.id, page)).toMatchObject({
        rows: [outcome.action],
        hasOlder: false,
        hasNewer: true,
      });
      expect(await storage.actions.listOnMessages(workspace.id, [message.id, 'msg_unknown'])).toEqual([
        outcome.action,
        second,
      ]);
      expect((await claim(storage, NOW)).map(({ payload }) => payload)).toEqual([
        must(outcome.events[0]).payload,
      ]);
      const stranger = await storeWorkspace(storage);
      expect((await storage.actions.list(stranger.id, message.id, ALL)).rows).toEqual([]);
      expect(await storage.actions.listOnMessages(stranger.id, [message.id])).toEqual([]);
      expect(instance.id).toBe(first.instanceId);
    });

    itAlways('edits a message in place that is scheduled or behind others, and no other', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const [first] = await storeQueuedMessages(storage, instance, 1);
      const behind = aMessage(instance, { createdAt: NOW + 1 });
      await accept(storage, behind);
      const later = aMessage(instance, { createdAt: NOW + 2, sendAt: NOW + DAY });
      const limits = { idempotency: null, backlogLimit: 2, trialLimit: null };
      await storage.messages.accept({ message: later, ...limits, isScheduled: true });
      const editOf = (message: Message, backlogLimit = 2) => {
        const edit = editingInPlace(message, `better ${message.id}`);
        return { ...edit.inPlace, accepted: storage.actions.accept({ ...edit, backlogLimit }) };
      };
      const found = (message: Message) => storage.messages.find(workspace.id, message.id);
      for (const message of [behind, later]) {
        const { change, action, accepted } = editOf(message);
        expect(await accepted).toEqual({ kind: 'edited_in_place' });
        expect(await found(message)).toEqual(change.message);
        expect((await storage.actions.list(workspace.id, message.id, ALL)).rows).toEqual([action]);
      }
      expect(await editOf(first).accepted).toEqual({ kind: 'backlog_full' });
      expect(await editOf(first, 3).accepted).toEqual({ kind: 'accepted' });
      expect(await found(first)).toEqual(first);
      await storage.messages.change(lease, sending(first));
      const next = must((await heads(storage, instance.id))[0]);
      expect(next).toMatchObject({ message: { text: `better ${behind.id}` } });
      expect(await editOf(behind, 3).accepted).toEqual({ kind: 'accepted' });
    });

    it('queues an edit that was decided before another change of its message', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      await storeQueuedMessages(storage, instance, 1);
      const behind = aMessage(instance, { createdAt: NOW + 1 });
      await accept(storage, behind);
      const { action, inPlace, ...edit } = editingInPlace(behind);
      const change = { ...inPlace.change, expected: { editedAt: NOW, deletedAt: null } };
      expect(await storage.actions.accept({ ...edit, action, inPlace: { ...inPlace, change } })).toEqual({
        kind: 'accepted',
      });
      expect(await storage.messages.find(workspace.id, behind.id)).toEqual(behind);
      expect((await storage.actions.list(workspace.id, behind.id, ALL)).rows).toEqual([action]);
    });

    it('edits a message in place that is held, unless the network holds it', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const kindOf = async (message: Message) => (await storage.actions.accept(editingInPlace(message))).kind;
      const [paced, held] = [aMessage(instance), aMessage(instance, { to: '15550177' })];
      for (const message of [paced, held]) await accept(storage, message);
      const dueAt = NOW + 600_000;
      const place = { messageId: paced.id, tries: 0, dueAt };
      await storage.messages.postpone(lease, { ...place, heldSince: dueAt });
      await storage.messages.postpone(lease, { ...place, messageId: held.id, heldSince: NOW });
      expect(await kindOf(paced)).toBe('edited_in_place');
      expect(await kindOf(held)).toBe('accepted');
      const behind = aMessage(instance, { to: held.to, createdAt: NOW + 1 });
      await accept(storage, behind);
      expect(await kindOf(behind)).toBe('edited_in_place');
      await storage.messages.postpone(lease, { ...place, dueAt: NOW + 1_000, heldSince: NOW + 1_000 });
      expect(await kindOf(paced)).toBe('accepted');
    });

    it('edits a message in place only if every later read of its queue returns the edit', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const messages = await storeQueuedMessages(storage, instance, 12);
      const inPlace = new Map<string, boolean>();
      const edits = messages.map(async (message) => {
        const { kind } = await storage.actions.accept(editingInPlace(message));
        inPlace.set(message.id, kind === 'edited_in_place');
      });
      const sent = new Map<string, string | null>();
      const send = async (): Promise<void> => {
        while (sent.size < messages.length) {
          const [head] = await heads(storage, instance.id);
          if (!head) return;
          if (head.action) await storage.actions.finish(lease, succeeded(head.action));
          else {
            sent.set(head.message.id, head.message.text);
            await storage.messages.change(lease, sending(head.message));
          }
        }
      };
      await Promise.all([...edits, send()]);
      expect(sent.size).toBe(messages.length);
      for (const { id } of messages) expect(sent.get(id) === 'better', id).toBe(inPlace.get(id));
    });

    it('is edited in place, queued or refused while its instance is deleted, and never half', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      await storeQueuedMessages(storage, instance, 1);
      const messages = Array.from({ length: 8 }, (_, index) =>
        aMessage(instance, { createdAt: NOW + 1 + index }),
      );
      for (const message of messages) await accept(storage, message);
      const edits = messages.map(async (message) => {
        const edit = editingInPlace(message);
        return { message, action: edit.action, ...(await storage.actions.accept(edit)) };
      });
      const deletion = storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE });
      for (const { message, action, kind } of await Promise.all(edits)) {
        expect(['edited_in_place', 'accepted', 'instance_gone', 'message_gone']).toContain(kind);
        expect(await deletion).toBe('deleted');
        const found = await storage.messages.find(instance.workspaceId, message.id);
        expect(found).toMatchObject({
          status: 'failed',
          text: kind === 'edited_in_place' ? 'better' : message.text,
        });
        const { rows } = await storage.actions.list(instance.workspaceId, message.id, ALL);
        const status = kind === 'edited_in_place' ? 'sent' : 'failed';
        expect(rows).toMatchObject(kind.endsWith('gone') ? [] : [{ id: action.id, status }]);
      }
    });

    it('changes its message with its outcome, unless that has changed since', async () => {
      const storage = await open();
      const { workspace, lease, message } = await received(storage);
      const action = await actionOn(storage, message, { kind: 'edit', emoji: null, text: 'better' });
      const edited = { ...message, text: 'better', editedAt: NOW + 5 };
      const change = { message: edited, expected: { editedAt: NOW, deletedAt: null } };
      const outcome = { ...succeeded(action), change };
      expect(await storage.actions.finish(lease, outcome)).toBe('message_changed');
      const { rows } = await storage.actions.list(workspace.id, message.id, ALL);
      expect(rows).toEqual([action]);
      const fitting = { ...outcome, change: { message: edited, expected: message } };
      expect(await storage.actions.finish(lease, fitting)).toBe('finished');
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(edited);
      expect(await storage.actions.finish(lease, fitting)).toBe('stale');
    });

    itAlways('marks received messages of its instance as read, once each, and nothing else', async () => {
      const storage = await open();
      const { workspace, instance, lease, message } = await received(storage);
      const receive = async (changes: Partial<Message> = {}, under = lease) => {
        const other = { ...anInboundMessage(instance), ...changes };
        const event = anEvent(workspace, NOW, { type: 'message.received' });
        await storage.messages.receive(under, { message: other, senderId: 's1', event });
        return other;
      };
      const [older, readBefore, left] = [
        await receive(),
        await receive({ readAt: NOW + 1 }),
        await receive(),
      ];
      const neighbour = await storeLeasedInstance(storage);
      const foreign = await receive(
        { instanceId: neighbour.instance.id, workspaceId: neighbour.workspace.id },
        neighbour.lease,
      );
      const [own] = await storeQueuedMessages(storage, instance, 1);
      const action = await actionOn(storage, message, { kind: 'read_mark', emoji: null });
      const marked = [message, older, readBefore, foreign, own].map(({ id }) => id);
      const outcome = { ...succeeded(action), events: [], marked: [...marked, testId('msg', NOW)] };
      const lost = { ...lease, epoch: lease.epoch - 1 };
      expect(await storage.actions.finish(lost, outcome)).toBe('fenced');
      expect(await storage.actions.finish(lease, outcome)).toBe('finished');
      const again = { ...outcome, action: { ...outcome.action, sentAt: NOW + 9 }, marked: [left.id] };
      expect(await storage.actions.finish(lease, again)).toBe('stale');
      const find = async ({ workspaceId, id }: Message) => storage.messages.find(workspaceId, id);
      for (const one of [message, older]) expect(await find(one)).toEqual({ ...one, readAt: NOW + 5 });
      for (const one of [readBefore, left, foreign, own]) expect(await find(one)).toEqual(one);
    });

    it('loses the words of an edit when its message is deleted', async () => {
      const storage = await open();
      const { workspace, lease, message } = await received(storage);
      const action = await actionOn(storage, message, { kind: 'edit', emoji: null, text: 'better' });
      const failed = { ...action, status: 'failed', failedAt: NOW + 5 } as const;
      const data = { message: { id: message.id }, action: { text: 'better' } };
      const payload = JSON.stringify({ type: 'message.action_failed', data });
      const subject = { instanceId: message.instanceId, messageId: message.id };
      const event = anEvent(workspace, NOW, { type: 'message.action_failed', payload, subject });
      expect(await storage.actions.finish(lease, { action: failed, events: [event] })).toBe('finished');
      const deleted = { ...message, text: null, deletedAt: NOW + 9 };
      const change = { message: deleted, expected: message };
      const later = anEvent(workspace, NOW, { type: 'message.deleted' });
      await storage.activities.record(lease, { key: null, recordedAt: NOW, change, event: later });
      expect((await storage.actions.list(workspace.id, message.id, ALL)).rows).toEqual([
        { ...failed, text: null },
      ]);
      expect(await storage.events.find(workspace.id, event.id, 0)).toMatchObject({
        payload: expect.stringContaining('"action":{"text":null}'),
      });
    });

    it('is finished once, under the lease of its instance', async () => {
      const storage = await open();
      const { workspace, lease, message } = await received(storage);
      const action = await actionOn(storage, message);
      const neighbour = await storeInstance(storage, workspace);
      const stranger = { ...succeeded(action), action: { ...action, instanceId: neighbour.id } };
      expect(await storage.actions.finish(lease, stranger)).toBe('stale');
      expect(await storage.actions.finish(lease, succeeded(action))).toBe('finished');
      expect(await storage.actions.finish(lease, succeeded(action))).toBe('stale');
      const lost = await loseLease(storage, lease);
      expect(await storage.actions.finish(lost, succeeded(action))).toBe('fenced');
    });

    it('is refused without its instance, without its message, or with a full backlog', async () => {
      const storage = await open();
      const { workspace, instance, message } = await received(storage);
      const refused = async (action: MessageAction, backlogLimit = 1000) =>
        (await acceptAction(storage, action, { backlogLimit })).kind;
      const stranger = await storeWorkspace(storage);
      expect(await refused(anAction(message, { workspaceId: stranger.id }))).toBe('instance_gone');
      expect(await refused(anAction(message, { messageId: testId('msg', NOW) }))).toBe('message_gone');
      const stopped = await storeInstance(storage, workspace, { status: 'logged_out', desired: 'stopped' });
      const old = anInboundMessage(stopped);
      const event = anEvent(workspace, NOW, { type: 'message.received' });
      const under = { instanceId: stopped.id, owner: '', epoch: 0 };
      await storage.messages.receive(under, { message: old, senderId: 's1', event });
      expect(await refused(anAction(old))).toBe('instance_not_connected');
      await storeQueuedMessages(storage, instance, 1);
      await actionOn(storage, message);
      expect(await refused(anAction(message), 2)).toBe('backlog_full');
      expect(await refused(anAction(message), 3)).toBe('accepted');
      const limited = { idempotency: null, backlogLimit: 3, trialLimit: null };
      expect(await storage.messages.accept({ message: aMessage(instance), ...limited })).toEqual({
        kind: 'backlog_full',
      });
    });

    itAlways('is accepted once under a key, for a day, apart from the keys of messages', async () => {
      const storage = await open();
      const { workspace, message } = await received(storage);
      const idempotency = { key: 'k1', fingerprint: 'f1' };
      const [first, repeat] = [anAction(message), anAction(message, { createdAt: NOW + DAY - 1 })];
      expect(await acceptAction(storage, first, { idempotency })).toEqual({ kind: 'accepted' });
      const remembered = { action: first, fingerprint: 'f1' };
      expect(await acceptAction(storage, repeat, { idempotency })).toEqual({
        kind: 'remembered',
        remembered,
      });
      expect(await storage.actions.findByKey(workspace.id, 'k1')).toEqual(remembered);
      expect(await storage.actions.findByKey(workspace.id, 'k2')).toBeNull();
      const stranger = await storeWorkspace(storage);
      expect(await storage.actions.findByKey(stranger.id, 'k1')).toBeNull();
      expect(await storage.messages.findIdempotencyRecord(workspace.id, 'k1')).toBeNull();
      const late = anAction(message, { createdAt: NOW + DAY });
      const other = { key: 'k1', fingerprint: 'f2' };
      expect(await acceptAction(storage, late, { idempotency: other })).toEqual({ kind: 'accepted' });
      expect(await storage.actions.findByKey(workspace.id, 'k1')).toEqual({
        action: late,
        fingerprint: 'f2',
      });
      expect((await storage.actions.list(workspace.id, message.id, ALL)).rows).toEqual([late, first]);
    });

    it('is accepted once under a key that is used concurrently', async () => {
      const storage = await open();
      const { message } = await received(storage);
      const idempotency = { key: 'k1', fingerprint: 'f1' };
      const results = await Promise.all(
        Array.from({ length: 6 }, () => acceptAction(storage, anAction(message), { idempotency })),
      );
      expect(results.map(({ kind }) => kind).toSorted()).toEqual([
        'accepted',
        ...Array.from({ length: 5 }, () => 'remembered'),
      ]);
    });

    it('waits for a held message to its chat, and can be held itself', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const [first] = await storeQueuedMessages(storage, instance, 1);
      const place = { messageId: first.id, tries: 0, dueAt: NOW + 60_000, heldSince: NOW };
      expect(await storage.messages.postpone(lease, place)).toBe('postponed');
      const action = await actionOn(storage, first, { recipient: must(first.to) });
      const other = aMessage(instance, { to: '15550177', createdAt: NOW + 3 });
      await accept(storage, other);
      expect(await heads(storage, instance.id)).toEqual([{ message: other, tries: 0 }]);
      const sent = sending(first);
      await storage.messages.change(lease, sent);
      const { message } = sent;
      expect(await heads(storage, instance.id)).toContainEqual({ message, action, tries: 0 });
      const messageId = actionEntryId(action.id);
      const hold = { messageId, tries: 2, dueAt: NOW + 90_000, heldSince: NOW };
      expect(await storage.messages.postpone(lease, hold)).toBe('postponed');
      expect(await heads(storage, instance.id)).toEqual([{ message: other, tries: 0 }]);
      const held = { message, action, tries: 2, heldSince: NOW };
      expect(await heads(storage, instance.id, NOW + 90_000)).toContainEqual(held);
      expect(await storage.actions.finish(lease, succeeded(action))).toBe('finished');
      expect(await heads(storage, instance.id, NOW + 90_000)).toEqual([{ message: other, tries: 0 }]);
    });

    it('is looked for without files, and not while the work of its workspace is postponed', async () => {
      const storage = await open();
      const { workspace, instance, message } = await received(storage);
      const action = await actionOn(storage, message);
      const look = { limit: 1, withFiles: false };
      expect(await storage.messages.queueHeads([instance.id], NOW, look)).toEqual([
        { message, action, tries: 0 },
      ]);
      await storage.workspaces.update(workspace.id, { suspendedAt: NOW });
      expect(await heads(storage, instance.id)).toEqual([]);
      await storage.workspaces.update(workspace.id, { suspendedAt: null });
      expect(await heads(storage, instance.id)).toHaveLength(1);
    });

    it('fails with the queue of its instance, behind the messages', async () => {
      const storage = await open();
      const { workspace, instance, lease, message } = await received(storage);
      await storeEndpoint(storage, workspace, { events: ['message.failed', 'message.action_failed'] });
      const [queued] = await storeQueuedMessages(storage, instance, 1);
      const [first, held] = [await actionOn(storage, message), await actionOn(storage, queued)];
      const place = { messageId: actionEntryId(held.id), tries: 0, dueAt: NOW + 9, heldSince: NOW };
      await storage.messages.postpone(lease, place);
      await storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE });
      const { error, now } = QUEUE_FAILURE;
      const failed = { status: 'failed', error, failedAt: now } as const;
      expect(await storage.actions.listOnMessages(workspace.id, [message.id, queued.id])).toEqual([
        { ...first, ...failed },
        { ...held, ...failed },
      ]);
      const events = (await claim(storage, NOW * 2, { slots: 10 })).map(
        ({ payload }) => JSON.parse(payload) as { type: string; data: { message: { status: string } } },
      );
      expect(events.map(({ type }) => type)).toEqual([
        'message.failed',
        'message.action_failed',
        'message.action_failed',
      ]);
      expect(events.map(({ data }) => data.message.status)).toEqual(['failed', 'received', 'failed']);
    });

    it('is erased with its message, and keeps it while it is queued', async () => {
      const storage = await open();
      const { workspace, instance, lease, message } = await received(storage);
      const action = await actionOn(storage, message);
      const done = await actionOn(storage, message, { createdAt: NOW + 1 });
      await storage.actions.finish(lease, succeeded(done));
      const erase = async (unfinished: 'kept' | 'deleted') =>
        (await storage.erasure.deleteMessages(workspace.id, { ids: [message.id], unfinished, limit: 100 }))
          .messages;
      expect(await erase('kept')).toBe(0);
      expect(await heads(storage, instance.id)).toHaveLength(1);
      expect(await erase('deleted')).toBe(1);
      expect(await heads(storage, instance.id)).toEqual([]);
      expect(await storage.actions.listOnMessages(workspace.id, [message.id])).toEqual([]);
      expect(await storage.actions.finish(lease, succeeded(action))).toBe('stale');
      const next = aMessage(instance);
      await accept(storage, next);
      expect(await heads(storage, instance.id)).toEqual([{ message: next, tries: 0 }]);
    });

    it('counts in the workload, which names its message', async () => {
      const storage = await open();
      const { workspace, instance, message } = await received(storage);
      await actionOn(storage, message, { createdAt: NOW + 7 });
      const since = { messageId: message.id, since: NOW + 7 };
      const of = { workspaceId: workspace.id, instanceId: instance.id };
      expect(await storage.workload.queues(of, { now: NOW, countUpTo: 10, limit: 10 })).toMatchObject([
        { queued: 1, oldest: since },
      ]);
      expect(await storage.workload.read({ now: NOW, limit: 10 })).toMatchObject({
        queuedMessages: 1,
        oldestQueuedMessage: { ...of, ...since },
      });
    });
  });
}
