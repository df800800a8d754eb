import { describe, expect, it } from 'vitest';
import type { MessageResource } from '../src/index.ts';
import type { SendOutcome } from '../src/spi/gateway.ts';
import type { Sender, Storage } from '../src/spi/storage.ts';
import { manualClock, memoryStorage } from '../src/testing/index.ts';
import type { ManualClock } from '../src/testing/index.ts';
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
  startWorld,
  toldTypes,
} from './support/world.ts';
import type { World } from './support/world.ts';

const statuses = async (world: World): Promise<readonly string[]> =>
  (await world.api.messages.list()).data.map(({ status }) => status).toReversed();

describe('a send whose outcome stays unknown', () => {
  it('is repeated after 1, 2, 4 and 8 seconds under the same network id, then fails', async () => {
    const gateway = scriptedGateway({ send: async () => ({ kind: 'unknown', reason: 'no answer' }) });
    const world = await startWorld({ gateway });
    await listen(world);
    const { message } = await sendText(world, await connectScripted(world));
    await world.clock.settle();

    for (const [tries, seconds] of [1, 2, 4, 8].entries()) {
      await world.clock.advance(seconds * SECOND - 1);
      expect(gateway.sent()).toHaveLength(tries + 1);
      await world.clock.advance(1);
      expect(gateway.sent()).toHaveLength(tries + 2);
    }
    expect(new Set(gateway.sent().map(({ networkId }) => networkId)).size).toBe(1);
    expect(await world.api.messages.get(message.id)).toMatchObject({
      status: 'failed',
      error: { code: 'send_outcome_unknown' },
    });
    await world.clock.advance(5 * MINUTE);
    expect(gateway.sent()).toHaveLength(5);
    expect(toldTypes(world).filter((type) => type.startsWith('message.'))).toEqual(['message.failed']);
  });

  it('is sent once an answer comes', async () => {
    const outcomes: SendOutcome[] = [{ kind: 'unknown', reason: 'no answer' }, { kind: 'accepted' }];
    const gateway = scriptedGateway({ send: async () => outcomes.shift() ?? silence() });
    const world = await startWorld({ gateway });
    const { message } = await sendText(world, await connectScripted(world));
    await world.clock.advance(SECOND);
    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'sent', error: null });
  });

  it.each([
    ['throws', () => Promise.reject(new Error('socket hang up')), 0],
    ['is silent', silence, MINUTE],
  ])('counts as unknown where the gateway %s', async (_, answer, afterMs) => {
    const gateway = scriptedGateway({ send: answer });
    const world = await startWorld({ gateway });
    const { message } = await sendText(world, await connectScripted(world));
    await world.clock.advance(5 * (afterMs + 8 * SECOND));
    expect(gateway.sent()).toHaveLength(5);
    expect(await world.api.messages.get(message.id)).toMatchObject({
      error: { code: 'send_outcome_unknown' },
    });
  });

  it('goes on to sent, delivered and read where a receipt comes after it failed', async () => {
    const gateway = scriptedGateway({ send: async () => ({ kind: 'unknown', reason: 'no answer' }) });
    const world = await startWorld({ gateway });
    await listen(world);
    const { message } = await sendText(world, await connectScripted(world));
    await world.clock.advance(MINUTE);
    const { networkId = '' } = gateway.sent()[0] ?? {};
    const { listener } = gateway.last();
    await listener.receipt({ networkId, status: 'delivered' });
    await world.clock.advance(SECOND);
    await listener.receipt({ networkId, status: 'read' });
    await listener.receipt({ networkId, status: 'delivered' });
    await world.clock.settle();

    expect(await world.api.messages.get(message.id)).toMatchObject({
      status: 'read',
      error: null,
      failed_at: null,
    });
    const types = toldTypes(world).filter((type) => type.startsWith('message.'));
    expect(types).toEqual(['message.failed', 'message.sent', 'message.delivered', 'message.read']);
    await world.clock.advance(5 * MINUTE);
    expect(gateway.sent()).toHaveLength(5);
  });

  it('stays failed on a receipt where the network had refused it', async () => {
    const error = { code: 'not_allowed', message: 'No.' };
    const gateway = scriptedGateway({ send: async () => ({ kind: 'refused', error }) });
    const world = await startWorld({ gateway });
    const { message } = await sendText(world, await connectScripted(world));
    await world.clock.settle();
    const { networkId = '' } = gateway.sent()[0] ?? {};
    await gateway.last().listener.receipt({ networkId, status: 'read' });
    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'failed', error });
  });

  it('counts no try where nothing was written before the connection ended', async () => {
    const gateway = scriptedGateway();
    let drops = 12;
    gateway.script.send = async (_message, { listener }) => {
      // One whose tries were counted would fail with this one.
      if ((drops -= 1) === -1) return { kind: 'unknown', reason: 'no answer' };
      if (drops < 0) return { kind: 'accepted' };
      void listener.closed({ kind: 'dropped', detail: 'connection_lost' });
      return { kind: 'not_sent', reason: 'the connection closed' };
    };
    const world = await startWorld({ gateway });
    const { message } = await sendText(world, await connectScripted(world));
    await world.clock.advance(MINUTE);
    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'sent', error: null });
    expect(gateway.sent()).toHaveLength(14);
  });

  it('that was taken all the same is told by its receipt', async () => {
    const gateway = scriptedGateway({ send: async () => ({ kind: 'unknown', reason: 'no answer' }) });
    const world = await startWorld({ gateway });
    const { message } = await sendText(world, await connectScripted(world));
    await world.clock.settle();
    await gateway
      .last()
      .listener.receipt({ networkId: gateway.sent()[0]?.networkId ?? '', status: 'delivered' });
    await world.clock.advance(MINUTE);

    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'delivered' });
    expect(gateway.sent()).toHaveLength(1);
  });
});

describe('processes whose clocks differ', () => {
  /** A number that was connected, and wrote a text, in a process that has stopped since. */
  async function movedFrom(firstClock: (world: World) => ManualClock) {
    const world = await startWorld({ roles: only('api', 'webhooks') });
    await listen(world);
    const gateway = scriptedGateway();
    const first = await world.another({ roles: only('gateway'), gateway, clock: firstClock(world) });
    const id = await connectScripted(world);
    const { message } = await sendText(world, id);
    await world.clock.settle();
    await first.trunkline.stop();
    const next = scriptedGateway();
    await world.another({ roles: only('gateway'), gateway: next });
    await world.clock.settle();
    return { world, id, message, listener: next.last().listener, networkId: gateway.sent()[0]?.networkId };
  }
  const ahead = ({ clock }: World): ManualClock => manualClock(clock.now() + 2 * SECOND);

  it('report the steps of a message in their order', async () => {
    const { world, message, listener, networkId = '' } = await movedFrom(ahead);
    await listener.receipt({ networkId, status: 'delivered' });
    await world.clock.advance(5 * SECOND);
    const { sent_at, delivered_at } = await world.api.messages.get(message.id);
    expect(Date.parse(delivered_at ?? '')).toBeGreaterThanOrEqual(Date.parse(sent_at ?? ''));
    expect(toldTypes(world)).toEqual(['instance.connected', 'message.sent', 'message.delivered']);
  });

  it('report the changes of an instance in their order', async () => {
    const { world, listener } = await movedFrom(ahead);
    await listener.closed({ kind: 'failed', code: 'account_banned' });
    await world.clock.advance(5 * SECOND);
    expect(toldTypes(world).filter((type) => type.startsWith('instance.'))).toEqual([
      'instance.connected',
      'instance.error',
    ]);
  });
});

describe('the queue of an instance', () => {
  it('is first in, first out, one at a time', async () => {
    const answers: ((outcome: SendOutcome) => void)[] = [];
    const gateway = scriptedGateway({ send: () => new Promise((resolve) => answers.push(resolve)) });
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    for (const text of ['one', 'two', 'three']) await sendText(world, id, '34600000009', text);

    for (const count of [1, 2, 3]) {
      await world.clock.settle();
      expect(texts(gateway.sent())).toEqual(['one', 'two', 'three'].slice(0, count));
      answers.shift()?.({ kind: 'accepted' });
    }
    await world.clock.settle();
    expect(await statuses(world)).toEqual(['sent', 'sent', 'sent']);
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
    const world = await startWorld({ gateway, storage });
    const { message } = await sendText(world, await connectScripted(world));
    await world.clock.settle();
    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'sent' });
    expect(reads).toBe(0);
  });

  it('keeps later messages waiting while the first has no outcome', async () => {
    const gateway = scriptedGateway({
      send: async ({ to }) =>
        to === '34600000001' ? { kind: 'unknown', reason: 'no answer' } : { kind: 'accepted' },
    });
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    await sendText(world, id, '34600000001');
    await sendText(world, id, '34600000002');
    await world.clock.advance(14 * SECOND);
    expect(await statuses(world)).toEqual(['queued', 'queued']);
    await world.clock.advance(SECOND);
    expect(await statuses(world)).toEqual(['failed', 'sent']);
  });

  it('does not wait for other instances', async () => {
    const gateway = scriptedGateway({
      send: ({ to }) => (to === '34600000001' ? silence() : Promise.resolve({ kind: 'accepted' })),
    });
    const world = await startWorld({ gateway });
    const [stuck, free] = [await connectScripted(world), await connectScripted(world)];
    await sendText(world, stuck, '34600000001');
    const { message } = await sendText(world, free);
    await world.clock.settle();
    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'sent' });
  });

  it('takes up a message that arrives at the very end of a pass', async () => {
    // The look that finds the queue empty is answered late, as a database does; meanwhile a message is accepted.
    const gateway = scriptedGateway();
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    const { messages } = world.storage;
    const queueHeads = messages.queueHeads.bind(messages);
    let late = true;
    messages.queueHeads = async (ids, now) => {
      const heads = await queueHeads(ids, now);
      if (heads.length === 0 && late) {
        late = false;
        await sendText(world, id, '34600000009', 'two');
        await world.clock.settle();
      }
      return heads;
    };
    await sendText(world, id, '34600000009', 'one');
    await world.clock.settle();
    await world.clock.settle();
    expect(texts(gateway.sent())).toEqual(['one', 'two']);
  });

  it('keeps what is queued while the instance is disconnected, and sends it afterwards', async () => {
    const gateway = scriptedGateway({ send: silence });
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    await sendText(world, id, '34600000009', 'one');
    await sendText(world, id, '34600000009', 'two');
    await world.clock.settle();
    await world.api.instances.disconnect(id);
    await expect(sendText(world, id)).rejects.toMatchObject({ code: 'INSTANCE_NOT_CONNECTED', status: 409 });
    await world.clock.advance(5 * MINUTE);
    expect(await statuses(world)).toEqual(['queued', 'queued']);

    gateway.script.send = async () => ({ kind: 'accepted' });
    await world.api.instances.connect(id);
    await world.clock.settle();
    expect(await statuses(world)).toEqual(['sent', 'sent']);
  });
});

describe('sending while the number reconnects', () => {
  const DOWN = { kind: 'dropped', detail: 'network_down' } as const;

  it('is accepted after a drop, before and after it is reported, and sent once the connection is back', async () => {
    const gateway = scriptedGateway();
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    gateway.script.opened = ({ listener }) => listener.closed(DOWN);
    await gateway.last().listener.closed(DOWN);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connecting' });
    await sendText(world, id, '34600000009', 'one');
    await world.clock.advance(MINUTE);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'disconnected' });
    await sendText(world, id, '34600000009', 'two');
    expect(await statuses(world)).toEqual(['queued', 'queued']);

    gateway.script.opened = ({ listener }) => listener.connected(PROFILE);
    await world.clock.advance(MINUTE);
    expect(await statuses(world)).toEqual(['sent', 'sent']);
    expect(texts(gateway.sent())).toEqual(['one', 'two']);
  });

  it('is accepted by a process that has just started, and while a disconnected number is connected again', async () => {
    const gateway = scriptedGateway();
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    await world.trunkline.stop();
    gateway.script.opened = silence;
    const next = await world.another({ gateway });
    await world.clock.settle();
    expect(await next.api.instances.get(id)).toMatchObject({ status: 'connecting' });
    expect((await sendText(next, id)).message).toMatchObject({ status: 'queued' });

    await next.api.instances.disconnect(id);
    await expect(sendText(next, id)).rejects.toMatchObject({ code: 'INSTANCE_NOT_CONNECTED' });
    await next.api.instances.connect(id);
    expect((await sendText(next, id)).message).toMatchObject({ status: 'queued' });
  });

  it('is refused while nothing is linked, and where the number cannot go on', async () => {
    const gateway = scriptedGateway({ opened: silence });
    const world = await startWorld({ gateway });
    const refused = (id: string): Promise<void> =>
      expect(sendText(world, id)).rejects.toMatchObject({ code: 'INSTANCE_NOT_CONNECTED', status: 409 });
    const { id } = await world.api.instances.create();
    await refused(id);
    await world.api.instances.connect(id);
    await world.clock.settle();
    await refused(id);
    await gateway.last().listener.qr('code', world.clock.now() + MINUTE);
    await refused(id);
    await gateway.last().listener.connected(PROFILE);
    await sendText(world, id);
    await gateway.last().listener.closed({ kind: 'failed', code: 'banned' });
    await refused(id);
    await world.api.instances.logout(id);
    await refused(id);
  });
});

describe('a sender that the storage has kept while another process changed it', () => {
  /** Keeps every sender for good; `looks` are how often it was asked for a fresh one. */
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
    const world = await startWorld({ storage });
    const id = await connectInstance(world);
    await sendText(world, id);
    const { workspaces } = world.trunkline.admin;
    return { world, id, looks, workspaces, workspaceId: world.workspaceId };
  }

  it('sends as long as nothing has changed, and is looked up once', async () => {
    const { world, id, looks } = await sendingOnce();
    await sendText(world, id);
    await sendText(world, id);
    expect(looks()).toBe(1);
  });

  it('sends nothing once its workspace is suspended or has no plan, and sends again after that', async () => {
    const { world, id, workspaces, workspaceId } = await sendingOnce();
    await workspaces.suspend(workspaceId);
    await expect(sendText(world, id)).rejects.toMatchObject({ code: 'WORKSPACE_SUSPENDED' });
    await workspaces.resume(workspaceId);
    await sendText(world, id);
    await workspaces.setPlan(workspaceId, { subscription: 'past_due' });
    await expect(sendText(world, id)).rejects.toMatchObject({ code: 'SUBSCRIPTION_PAST_DUE' });
    await workspaces.setPlan(workspaceId, { subscription: 'trial', trialMessageLimit: 1 });
    await sendText(world, id);
    await expect(sendText(world, id)).rejects.toMatchObject({ code: 'TRIAL_LIMIT_REACHED' });
  });

  it('sends under its present number, and not at all once it is deleted', async () => {
    const { world, id } = await sendingOnce();
    await world.api.instances.logout(id);
    await world.clock.settle();
    await expect(sendText(world, id)).rejects.toMatchObject({ code: 'INSTANCE_NOT_CONNECTED' });
    await world.api.instances.connect(id);
    await world.clock.advance(STEP);
    await world.sandbox.phone(id).scan({ phoneNumber: '15550142' });
    await world.clock.settle();
    expect((await sendText(world, id)).message.from).toBe('15550142');
    await world.api.instances.delete(id);
    await expect(sendText(world, id)).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
  });

  it('answers a replay only while its workspace is not suspended', async () => {
    const { world, id, workspaces, workspaceId } = await sendingOnce();
    const send = () =>
      world.api.messages.send(
        { instance: id, to: '34600000009', type: 'text', text: 'Hello' },
        { idempotencyKey: 'once' },
      );
    expect(await send()).toHaveProperty('replayed', false);
    await workspaces.suspend(workspaceId);
    await expect(send()).rejects.toMatchObject({ code: 'WORKSPACE_SUSPENDED' });
    await workspaces.resume(workspaceId);
    await world.api.instances.delete(id);
    expect(await send()).toHaveProperty('replayed', true);
  });
});

describe('a message may be sent', () => {
  it.each([
    [{ to: '12' }, 'INVALID_RECIPIENT'],
    [{ type: 'sticker' }, 'UNSUPPORTED_MESSAGE_TYPE'],
    [{ type: 'image' }, 'UNSUPPORTED_MESSAGE_TYPE'],
    [{ text: ' ' }, 'VALIDATION_FAILED'],
    [{ text: undefined }, 'VALIDATION_FAILED'],
    [{ instance: 'nonsense' }, 'INSTANCE_NOT_FOUND'],
    [{ to: 'grp_nonsense' }, 'GROUP_NOT_FOUND'],
  ])('not with %j: %s', async (changes, code) => {
    const world = await startWorld();
    const instance = await connectInstance(world);
    const input = { instance, to: '34600000009', type: 'text', text: 'Hello', ...changes };
    // The types forbid some of these; REST does not know types.
    await expect(
      world.api.messages.send(input as Parameters<typeof world.api.messages.send>[0]),
    ).rejects.toMatchObject({ code });
    expect((await world.api.messages.list()).data).toEqual([]);
  });

  it('to a group of this instance, and of no other', async () => {
    const world = await startWorld();
    const [id, other] = [await connectInstance(world), await connectInstance(world)];
    const [group] = await world.api.instances.groups(id);
    const to = group?.id ?? '';
    const { message } = await sendText(world, id, to);
    expect(message).toMatchObject({ to: null, group_id: to } satisfies Partial<MessageResource>);
    await world.clock.advance(3 * STEP);
    expect(await world.api.messages.get(message.id)).toMatchObject({
      status: 'read',
      to: null,
      group_id: to,
    });
    await expect(sendText(world, other, to)).rejects.toMatchObject({ code: 'GROUP_NOT_FOUND' });
  });

  it('goes to the network under the name that the network gave the group', async () => {
    const gateway = scriptedGateway({
      async opened({ listener }) {
        await listener.connected(PROFILE);
        await listener.groups([{ networkId: '120363@g.us', name: 'Choir', participantsCount: 3 }]);
      },
    });
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    const [group] = await world.api.instances.groups(id);
    await sendText(world, id, group?.id);
    await world.clock.settle();
    expect(gateway.sent()).toMatchObject([{ to: '120363@g.us', isGroup: true }]);
  });

  it('until the backlog is full', async () => {
    const world = await startWorld({ gateway: scriptedGateway({ send: silence }), sendBacklog: 3 });
    const id = await connectScripted(world);
    const sends = Array.from({ length: 5 }, () => sendText(world, id));
    const results = await Promise.allSettled(sends);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    await expect(sendText(world, id)).rejects.toMatchObject({
      code: 'SEND_BACKLOG',
      status: 429,
      details: { retry_after: 10, limit: 3, reset: world.clock.now() / 1000 + 10 },
    });
  });
});
