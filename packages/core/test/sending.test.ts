import { describe, expect, it } from 'vitest';
import type { MessageResource } from '../src/index.ts';
import type { SendOutcome } from '../src/spi/gateway.ts';
import type { Sender, Storage } from '../src/spi/storage.ts';
import { manualClock } from '../src/testing/index.ts';
import type { ManualClock } from '../src/testing/index.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { PROFILE, scriptedGateway, silence, texts } from './support/scripted-gateway.ts';
import {
  MINUTE,
  SECOND,
  STEP,
  connectInstance,
  connectScripted,
  listen,
  only,
  sendText,
  startHarness,
  receivedTypes,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const statuses = async (harness: Harness): Promise<readonly string[]> =>
  (await harness.api.messages.list()).data.map(({ status }) => status).toReversed();

describe('a send whose outcome stays unknown', () => {
  it('is repeated after 1, 2, 4 and 8 seconds under the same network id, then fails', async () => {
    const gateway = scriptedGateway({ send: async () => ({ kind: 'unknown', reason: 'no response' }) });
    const harness = await startHarness({ gateway });
    await listen(harness);
    const { message } = await sendText(harness, await connectScripted(harness));
    await harness.clock.settle();

    for (const [tries, seconds] of [1, 2, 4, 8].entries()) {
      await harness.clock.advance(seconds * SECOND - 1);
      expect(gateway.sent()).toHaveLength(tries + 1);
      await harness.clock.advance(1);
      expect(gateway.sent()).toHaveLength(tries + 2);
    }
    expect(new Set(gateway.sent().map(({ networkId }) => networkId)).size).toBe(1);
    expect(await harness.api.messages.get(message.id)).toMatchObject({
      status: 'failed',
      error: { code: 'send_outcome_unknown' },
    });
    await harness.clock.advance(5 * MINUTE);
    expect(gateway.sent()).toHaveLength(5);
    expect(receivedTypes(harness).filter((type) => type.startsWith('message.'))).toEqual(['message.failed']);
  });

  it('is sent once the network responds', async () => {
    const outcomes: SendOutcome[] = [{ kind: 'unknown', reason: 'no response' }, { kind: 'accepted' }];
    const gateway = scriptedGateway({ send: async () => outcomes.shift() ?? silence() });
    const harness = await startHarness({ gateway });
    const { message } = await sendText(harness, await connectScripted(harness));
    await harness.clock.advance(SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent', error: null });
  });

  it.each([
    ['throws', () => Promise.reject(new Error('socket hang up')), 0],
    ['is silent', silence, MINUTE],
  ])('counts as unknown where the gateway %s', async (_, response, afterMs) => {
    const gateway = scriptedGateway({ send: response });
    const harness = await startHarness({ gateway });
    const { message } = await sendText(harness, await connectScripted(harness));
    await harness.clock.advance(5 * (afterMs + 8 * SECOND));
    expect(gateway.sent()).toHaveLength(5);
    expect(await harness.api.messages.get(message.id)).toMatchObject({
      error: { code: 'send_outcome_unknown' },
    });
  });

  it('becomes sent, delivered and read if a receipt comes after it failed', async () => {
    const gateway = scriptedGateway({ send: async () => ({ kind: 'unknown', reason: 'no response' }) });
    const harness = await startHarness({ gateway });
    await listen(harness);
    const { message } = await sendText(harness, await connectScripted(harness));
    await harness.clock.advance(MINUTE);
    const { networkId = '' } = gateway.sent()[0] ?? {};
    const { listener } = gateway.last();
    await listener.receipt({ networkId, status: 'delivered' });
    await harness.clock.advance(SECOND);
    await listener.receipt({ networkId, status: 'read' });
    await listener.receipt({ networkId, status: 'delivered' });
    await harness.clock.settle();

    expect(await harness.api.messages.get(message.id)).toMatchObject({
      status: 'read',
      error: null,
      failed_at: null,
    });
    const types = receivedTypes(harness).filter((type) => type.startsWith('message.'));
    expect(types).toEqual(['message.failed', 'message.sent', 'message.delivered', 'message.read']);
    await harness.clock.advance(5 * MINUTE);
    expect(gateway.sent()).toHaveLength(5);
  });

  it('stays failed on a receipt where the network had refused it', async () => {
    const error = { code: 'not_allowed', message: 'No.' };
    const gateway = scriptedGateway({ send: async () => ({ kind: 'refused', error }) });
    const harness = await startHarness({ gateway });
    const { message } = await sendText(harness, await connectScripted(harness));
    await harness.clock.settle();
    const { networkId = '' } = gateway.sent()[0] ?? {};
    await gateway.last().listener.receipt({ networkId, status: 'read' });
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'failed', error });
  });

  it('counts no attempt if nothing was written before the connection ended', async () => {
    const gateway = scriptedGateway();
    let drops = 12;
    gateway.script.send = async (_message, { listener }) => {
      // If earlier attempts counted, the message would fail at this attempt.
      if ((drops -= 1) === -1) return { kind: 'unknown', reason: 'no response' };
      if (drops < 0) return { kind: 'accepted' };
      void listener.closed({ kind: 'dropped', detail: 'connection_lost' });
      return { kind: 'not_sent', reason: 'the connection closed' };
    };
    const harness = await startHarness({ gateway });
    const { message } = await sendText(harness, await connectScripted(harness));
    // A connection that repeatedly ends early is reopened only after about five minutes.
    await harness.clock.advance(90 * MINUTE);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent', error: null });
    expect(gateway.sent()).toHaveLength(14);
  });

  it('is reported as sent by a receipt that proves it', async () => {
    const gateway = scriptedGateway({ send: async () => ({ kind: 'unknown', reason: 'no response' }) });
    const harness = await startHarness({ gateway });
    const { message } = await sendText(harness, await connectScripted(harness));
    await harness.clock.settle();
    await gateway
      .last()
      .listener.receipt({ networkId: gateway.sent()[0]?.networkId ?? '', status: 'delivered' });
    await harness.clock.advance(MINUTE);

    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'delivered' });
    expect(gateway.sent()).toHaveLength(1);
  });
});

describe('processes whose clocks differ', () => {
  /** A number that was connected, and sent a text, in a process that has stopped since. */
  async function movedFrom(firstClock: (harness: Harness) => ManualClock) {
    const harness = await startHarness({ roles: only('api', 'webhooks') });
    await listen(harness);
    const gateway = scriptedGateway();
    const first = await harness.another({ roles: only('gateway'), gateway, clock: firstClock(harness) });
    const id = await connectScripted(harness);
    const { message } = await sendText(harness, id);
    await harness.clock.settle();
    await first.trunkline.stop();
    const next = scriptedGateway();
    await harness.another({ roles: only('gateway'), gateway: next });
    await harness.clock.settle();
    return { harness, id, message, listener: next.last().listener, networkId: gateway.sent()[0]?.networkId };
  }
  const ahead = ({ clock }: Harness): ManualClock => manualClock(clock.now() + 2 * SECOND);

  it('report the steps of a message in their order', async () => {
    const { harness, message, listener, networkId = '' } = await movedFrom(ahead);
    await listener.receipt({ networkId, status: 'delivered' });
    await harness.clock.advance(5 * SECOND);
    const { sent_at, delivered_at } = await harness.api.messages.get(message.id);
    expect(Date.parse(delivered_at ?? '')).toBeGreaterThanOrEqual(Date.parse(sent_at ?? ''));
    expect(receivedTypes(harness)).toEqual(['instance.connected', 'message.sent', 'message.delivered']);
  });

  it('report the changes of an instance in their order', async () => {
    const { harness, listener } = await movedFrom(ahead);
    await listener.closed({ kind: 'failed', code: 'account_banned' });
    await harness.clock.advance(5 * SECOND);
    expect(receivedTypes(harness).filter((type) => type.startsWith('instance.'))).toEqual([
      'instance.connected',
      'instance.error',
    ]);
  });
});

describe('the queue of an instance', () => {
  it('is first in, first out, one at a time', async () => {
    const responders: ((outcome: SendOutcome) => void)[] = [];
    const gateway = scriptedGateway({ send: () => new Promise((resolve) => responders.push(resolve)) });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    for (const text of ['one', 'two', 'three']) await sendText(harness, id, '34600000009', text);

    for (const count of [1, 2, 3]) {
      await harness.clock.settle();
      expect(texts(gateway.sent())).toEqual(['one', 'two', 'three'].slice(0, count));
      responders.shift()?.({ kind: 'accepted' });
    }
    await harness.clock.settle();
    expect(await statuses(harness)).toEqual(['sent', 'sent', 'sent']);
  });

  it('records the outcome of a send on the message that was read for it, and reads it no second time', async () => {
    const storage = memoryStorage();
    const findOutbound = storage.messages.findOutbound.bind(storage.messages);
    let reads = 0;
    storage.messages.findOutbound = async (...given) => {
      reads += 1;
      return findOutbound(...given);
    };
    const gateway = scriptedGateway({ send: async () => ({ kind: 'accepted' }) });
    const harness = await startHarness({ gateway, storage });
    const { message } = await sendText(harness, await connectScripted(harness));
    await harness.clock.settle();
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent' });
    expect(reads).toBe(0);
  });

  it('keeps only later messages to the same recipient waiting while the first has no outcome', async () => {
    const gateway = scriptedGateway({
      send: async ({ to }) =>
        to === '34600000001' ? { kind: 'unknown', reason: 'no response' } : { kind: 'accepted' },
    });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    await sendText(harness, id, '34600000001');
    await sendText(harness, id, '34600000002');
    await sendText(harness, id, '34600000001');
    await harness.clock.advance(14 * SECOND);
    expect(await statuses(harness)).toEqual(['queued', 'sent', 'queued']);
    expect(gateway.sent()).toHaveLength(5);
    await harness.clock.advance(SECOND);
    expect(await statuses(harness)).toEqual(['failed', 'sent', 'queued']);
    expect(gateway.sent()).toHaveLength(7);
  });

  it('does not wait for other instances', async () => {
    const gateway = scriptedGateway({
      send: ({ to }) => (to === '34600000001' ? silence() : Promise.resolve({ kind: 'accepted' })),
    });
    const harness = await startHarness({ gateway });
    const [stuck, free] = [await connectScripted(harness), await connectScripted(harness)];
    await sendText(harness, stuck, '34600000001');
    const { message } = await sendText(harness, free);
    await harness.clock.settle();
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent' });
  });

  it('takes up a message that arrives at the very end of a pass', async () => {
    // The read that finds the queue empty returns late, as from a database, and a message is accepted before it
    // returns.
    const gateway = scriptedGateway();
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    const { messages } = harness.storage;
    const queueHeads = messages.queueHeads.bind(messages);
    let late = true;
    messages.queueHeads = async (ids, now) => {
      const heads = await queueHeads(ids, now);
      if (heads.length === 0 && late) {
        late = false;
        await sendText(harness, id, '34600000009', 'two');
        await harness.clock.settle();
      }
      return heads;
    };
    await sendText(harness, id, '34600000009', 'one');
    await harness.clock.settle();
    await harness.clock.settle();
    expect(texts(gateway.sent())).toEqual(['one', 'two']);
  });

  it('keeps its messages while the instance is disconnected, and sends them afterwards', async () => {
    const gateway = scriptedGateway({ send: silence });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    await sendText(harness, id, '34600000009', 'one');
    await sendText(harness, id, '34600000009', 'two');
    await harness.clock.settle();
    await harness.api.instances.disconnect(id);
    await expect(sendText(harness, id)).rejects.toMatchObject({
      code: 'INSTANCE_NOT_CONNECTED',
      status: 409,
    });
    await harness.clock.advance(5 * MINUTE);
    expect(await statuses(harness)).toEqual(['queued', 'queued']);

    gateway.script.send = async () => ({ kind: 'accepted' });
    await harness.api.instances.connect(id);
    await harness.clock.settle();
    expect(await statuses(harness)).toEqual(['sent', 'sent']);
  });
});

describe('sending while the number reconnects', () => {
  const DOWN = { kind: 'dropped', detail: 'network_down' } as const;

  it('is accepted after a drop, before and after it is reported, and sent once the connection is back', async () => {
    const gateway = scriptedGateway();
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    gateway.script.opened = ({ listener }) => listener.closed(DOWN);
    await gateway.last().listener.closed(DOWN);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connecting' });
    await sendText(harness, id, '34600000009', 'one');
    await harness.clock.advance(MINUTE);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'disconnected' });
    await sendText(harness, id, '34600000009', 'two');
    expect(await statuses(harness)).toEqual(['queued', 'queued']);

    gateway.script.opened = ({ listener }) => listener.connected(PROFILE);
    await harness.clock.advance(MINUTE);
    expect(await statuses(harness)).toEqual(['sent', 'sent']);
    expect(texts(gateway.sent())).toEqual(['one', 'two']);
  });

  it('is accepted by a process that has just started, and while a disconnected number is connected again', async () => {
    const gateway = scriptedGateway();
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    await harness.trunkline.stop();
    gateway.script.opened = silence;
    const next = await harness.another({ gateway });
    await harness.clock.settle();
    expect(await next.api.instances.get(id)).toMatchObject({ status: 'connecting' });
    expect((await sendText(next, id)).message).toMatchObject({ status: 'queued' });

    await next.api.instances.disconnect(id);
    await expect(sendText(next, id)).rejects.toMatchObject({ code: 'INSTANCE_NOT_CONNECTED' });
    await next.api.instances.connect(id);
    expect((await sendText(next, id)).message).toMatchObject({ status: 'queued' });
  });

  it('is refused while no number is linked, and if the number cannot reconnect', async () => {
    const gateway = scriptedGateway({ opened: silence });
    const harness = await startHarness({ gateway });
    const refused = (id: string): Promise<void> =>
      expect(sendText(harness, id)).rejects.toMatchObject({ code: 'INSTANCE_NOT_CONNECTED', status: 409 });
    const { id } = await harness.api.instances.create();
    await refused(id);
    await harness.api.instances.connect(id);
    await harness.clock.settle();
    await refused(id);
    await gateway.last().listener.qr('code', harness.clock.now() + MINUTE);
    await refused(id);
    await gateway.last().listener.connected(PROFILE);
    await sendText(harness, id);
    await gateway.last().listener.closed({ kind: 'failed', code: 'banned' });
    await refused(id);
    await harness.api.instances.logout(id);
    await refused(id);
  });
});

describe('a sender that the storage has kept while another process changed it', () => {
  /** Caches each sender until a `fresh` read; `looks` returns how often a sender was read from the storage. */
  function keepingStorage(): { readonly storage: Storage; readonly looks: () => number } {
    const storage = memoryStorage();
    const { messages } = storage;
    const findSender = messages.findSender.bind(messages);
    const kept = new Map<string, Sender | null>();
    let looks = 0;
    messages.findSender = async (workspaceId, instanceId, how) => {
      const old = kept.get(instanceId);
      if (old !== undefined && !how.fresh) return old;
      looks += 1;
      const found = await findSender(workspaceId, instanceId, how);
      kept.set(instanceId, found);
      return found;
    };
    return { storage, looks: () => looks };
  }

  async function sendingOnce() {
    const { storage, looks } = keepingStorage();
    const harness = await startHarness({ storage });
    const id = await connectInstance(harness);
    await sendText(harness, id);
    const { workspaces } = harness.trunkline.admin;
    return { harness, id, looks, workspaces, workspaceId: harness.workspaceId };
  }

  it('sends as long as nothing has changed, and is looked up once', async () => {
    const { harness, id, looks } = await sendingOnce();
    await sendText(harness, id);
    await sendText(harness, id);
    expect(looks()).toBe(1);
  });

  it('sends nothing once its workspace is suspended or has no plan, and sends again after that', async () => {
    const { harness, id, workspaces, workspaceId } = await sendingOnce();
    await workspaces.suspend(workspaceId);
    await expect(sendText(harness, id)).rejects.toMatchObject({ code: 'WORKSPACE_SUSPENDED' });
    await workspaces.resume(workspaceId);
    await sendText(harness, id);
    await workspaces.setPlan(workspaceId, { subscription: 'past_due' });
    await expect(sendText(harness, id)).rejects.toMatchObject({ code: 'SUBSCRIPTION_PAST_DUE' });
    await workspaces.setPlan(workspaceId, { subscription: 'trial', trialMessageLimit: 1 });
    await sendText(harness, id);
    await expect(sendText(harness, id)).rejects.toMatchObject({ code: 'TRIAL_LIMIT_REACHED' });
  });

  it('sends under its present number, and not at all once it is deleted', async () => {
    const { harness, id } = await sendingOnce();
    await harness.api.instances.logout(id);
    await harness.clock.settle();
    await expect(sendText(harness, id)).rejects.toMatchObject({ code: 'INSTANCE_NOT_CONNECTED' });
    await harness.api.instances.connect(id);
    await harness.clock.advance(STEP);
    await harness.sandbox.phone(id).scan({ phoneNumber: '15550142' });
    await harness.clock.settle();
    expect((await sendText(harness, id)).message.from).toBe('15550142');
    await harness.api.instances.delete(id);
    await expect(sendText(harness, id)).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
  });

  it('replays only while its workspace is not suspended', async () => {
    const { harness, id, workspaces, workspaceId } = await sendingOnce();
    const send = () =>
      harness.api.messages.send(
        { instance: id, to: '34600000009', type: 'text', text: 'Hello' },
        { idempotencyKey: 'once' },
      );
    expect(await send()).toHaveProperty('replayed', false);
    await workspaces.suspend(workspaceId);
    await expect(send()).rejects.toMatchObject({ code: 'WORKSPACE_SUSPENDED' });
    await workspaces.resume(workspaceId);
    await harness.api.instances.delete(id);
    expect(await send()).toHaveProperty('replayed', true);
  });
});

describe('sending a message', () => {
  it.each([
    [{ to: '12' }, 'INVALID_RECIPIENT'],
    [{ type: 'sticker' }, 'UNSUPPORTED_MESSAGE_TYPE'],
    [{ type: 'image' }, 'UNSUPPORTED_MESSAGE_TYPE'],
    [{ text: ' ' }, 'VALIDATION_FAILED'],
    [{ text: undefined }, 'VALIDATION_FAILED'],
    [{ instance: 'nonsense' }, 'INSTANCE_NOT_FOUND'],
    [{ to: 'grp_nonsense' }, 'GROUP_NOT_FOUND'],
  ])('is refused with %j: %s', async (changes, code) => {
    const harness = await startHarness();
    const instance = await connectInstance(harness);
    const input = { instance, to: '34600000009', type: 'text', text: 'Hello', ...changes };
    // The types forbid some of these inputs, but REST clients have no types.
    await expect(
      harness.api.messages.send(input as Parameters<typeof harness.api.messages.send>[0]),
    ).rejects.toMatchObject({ code });
    expect((await harness.api.messages.list()).data).toEqual([]);
  });

  it('works to a group of this instance, but not of another', async () => {
    const harness = await startHarness();
    const [id, other] = [await connectInstance(harness), await connectInstance(harness)];
    const [group] = (await harness.api.instances.groups(id)).data;
    const to = group?.id ?? '';
    const { message } = await sendText(harness, id, to);
    expect(message).toMatchObject({ to: null, group_id: to } satisfies Partial<MessageResource>);
    await harness.clock.advance(3 * STEP);
    expect(await harness.api.messages.get(message.id)).toMatchObject({
      status: 'read',
      to: null,
      group_id: to,
    });
    await expect(sendText(harness, other, to)).rejects.toMatchObject({ code: 'GROUP_NOT_FOUND' });
  });

  it('uses the id that the network gave the group', async () => {
    const gateway = scriptedGateway({
      async opened({ listener }) {
        await listener.connected(PROFILE);
        await listener.groups([{ networkId: '120363@g.us', name: 'Choir', participantsCount: 3 }]);
      },
    });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    const [group] = (await harness.api.instances.groups(id)).data;
    await sendText(harness, id, group?.id);
    await harness.clock.settle();
    expect(gateway.sent()).toMatchObject([{ to: '120363@g.us', isGroup: true }]);
  });

  it('is refused beyond a backlog of 1,000 messages by default', async () => {
    const harness = await startHarness({ gateway: scriptedGateway({ send: silence }) });
    const id = await connectScripted(harness);
    for (let sent = 0; sent < 1_000; sent += 1) await sendText(harness, id);
    await expect(sendText(harness, id)).rejects.toMatchObject({
      code: 'SEND_BACKLOG',
      details: { limit: 1_000 },
    });
  });

  it('is refused once the backlog is full', async () => {
    const harness = await startHarness({ gateway: scriptedGateway({ send: silence }), sendBacklog: 3 });
    const id = await connectScripted(harness);
    const sends = Array.from({ length: 5 }, () => sendText(harness, id));
    const results = await Promise.allSettled(sends);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    await expect(sendText(harness, id)).rejects.toMatchObject({
      code: 'SEND_BACKLOG',
      status: 429,
      details: { retry_after: 10, limit: 3, reset: harness.clock.now() / 1000 + 10 },
    });
  });
});
