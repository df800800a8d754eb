import { describe, expect, it } from 'vitest';
import type { Retention } from '../src/index.ts';
import type { ContactReport, IncomingMessage } from '../src/spi/gateway.ts';
import { memoryMediaStore, REFUSED } from '../src/testing/index.ts';
import {
  DAY,
  HOUR,
  MINUTE,
  connectInstance,
  connectScripted,
  connected,
  listen,
  only,
  sendText,
  startHarness,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { mediaGateway, PNG } from './support/media.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { scriptedGateway, silence } from './support/scripted-gateway.ts';

/** A new delivery, in a process without maintenance, so that nothing is deleted. */
async function old() {
  const harness = await startHarness({ roles: only('api', 'webhooks') });
  const { id: webhookId } = await listen(harness);
  const { id } = await harness.api.webhooks.test(webhookId);
  await harness.clock.settle();
  return { harness, webhookId, id };
}

describe('a delivery', () => {
  it('exists for 30 days to the millisecond, deleted yet or not', async () => {
    const { harness, webhookId, id } = await old();
    harness.clock.jump(30 * DAY);
    expect(await harness.api.deliveries.get(id)).toMatchObject({ id });
    expect((await harness.api.webhooks.deliveries(webhookId)).data).toHaveLength(1);
    harness.clock.jump(1);
    await expect(harness.api.deliveries.get(id)).rejects.toMatchObject({
      code: 'WEBHOOK_DELIVERY_NOT_FOUND',
      status: 404,
    });
    await expect(harness.api.deliveries.retry(id)).rejects.toMatchObject({
      code: 'WEBHOOK_DELIVERY_NOT_FOUND',
    });
    expect((await harness.api.webhooks.deliveries(webhookId)).data).toEqual([]);
  });

  it('is not retried with the others if it is too old', async () => {
    const harness = await startHarness({ roles: only('api', 'webhooks') });
    const { id } = await listen(harness);
    harness.sender.respond(() => ({ ...REFUSED, errorCode: 'UNSAFE_URL' }));
    await harness.api.webhooks.test(id);
    await harness.clock.settle();
    harness.clock.jump(30 * DAY + 1);
    await harness.api.webhooks.test(id);
    await harness.clock.advance(MINUTE);
    expect(await harness.api.webhooks.retryFailedDeliveries(id)).toEqual({ requeued: 1, remaining: 0 });
  });

  it('is deleted with its event an hour later, however many there are', async () => {
    const { harness, webhookId, id } = await old();
    for (let i = 0; i < 1_200; i++) await harness.api.webhooks.test(webhookId);
    await harness.another({ roles: only('maintenance') });
    harness.clock.jump(30 * DAY + HOUR - MINUTE);
    await harness.clock.advance(1);
    expect(await harness.storage.deliveries.findDetail(harness.workspaceId, id, 0)).not.toBeNull();
    await harness.clock.advance(2 * MINUTE);
    expect(await harness.storage.deliveries.findDetail(harness.workspaceId, id, 0)).toBeNull();
    const left = await harness.storage.deliveries.list(
      harness.workspaceId,
      webhookId,
      {},
      { from: null, limit: 1 },
      0,
    );
    expect(left.rows).toEqual([]);
    expect(harness.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('a message', () => {
  it('is kept after a year', async () => {
    const harness = await startHarness();
    const { message } = await sendText(harness, await connectInstance(harness));
    harness.clock.jump(365 * DAY);
    await harness.clock.advance(MINUTE);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ id: message.id });
  });

  it('is deleted with its events after as many days as the service says', async () => {
    const harness = await startHarness({ retention: { messagesDays: 10 } });
    await listen(harness);
    const instance = await connectInstance(harness);
    const { message } = await sendText(harness, instance);
    await harness.clock.advance(MINUTE);
    harness.clock.jump(10 * DAY - 2 * HOUR);
    await harness.clock.advance(HOUR);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'read' });
    expect(await eventsOf(harness, message.id)).not.toEqual([]);
    await harness.clock.advance(2 * HOUR);
    await expect(harness.api.messages.get(message.id)).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND' });
    expect(await eventsOf(harness, message.id)).toEqual([]);
    expect((await harness.api.messages.list()).data).toEqual([]);
    expect(harness.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is kept for as long as its workspace says, whatever the service does', async () => {
    const harness = await startHarness({ retention: { messagesDays: 10 } });
    const { admin } = harness.trunkline;
    const instance = await connectInstance(harness);
    await admin.workspaces.setRetention(harness.workspaceId, { messagesDays: 'forever' });
    await sendText(harness, instance);
    await harness.clock.advance(MINUTE);
    harness.clock.jump(100 * DAY);
    await harness.clock.advance(2 * HOUR);
    expect((await harness.api.messages.list()).data).toHaveLength(1);
    await admin.workspaces.setRetention(harness.workspaceId, { messagesDays: 101 });
    await harness.clock.advance(2 * HOUR);
    expect((await harness.api.messages.list()).data).toHaveLength(1);
    await admin.workspaces.setRetention(harness.workspaceId, null);
    await harness.clock.advance(2 * HOUR);
    expect((await harness.api.messages.list()).data).toEqual([]);
  });

  it('is not deleted while it waits to be sent, however old it is', async () => {
    const harness = await startHarness({ retention: { messagesDays: 1 } });
    const instance = await connectInstance(harness);
    // The first message is already on its way to the network.
    await sendText(harness, instance);
    const { message } = await sendText(harness, instance);
    await harness.trunkline.admin.workspaces.suspend(harness.workspaceId);
    harness.clock.jump(3 * DAY);
    await harness.clock.advance(2 * HOUR);
    expect(await harness.storage.messages.find(harness.workspaceId, message.id)).toMatchObject({
      status: 'queued',
    });
    await harness.trunkline.admin.workspaces.resume(harness.workspaceId);
    await harness.clock.advance(2 * HOUR);
    expect(await harness.storage.messages.find(harness.workspaceId, message.id)).toBeNull();
  });

  it('takes its file with it, even if the process ends in between', async () => {
    const storage = memoryStorage();
    const media = memoryMediaStore();
    const options = { storage, media, gateway: mediaGateway(), retention: { messagesDays: 1 } };
    const harness = await startHarness({ ...options, roles: only('api', 'gateway') });
    const instance = await connectScripted(harness);
    const file = new Blob([PNG]);
    await harness.api.messages.send({ instance, to: '34600000009', type: 'image', file });
    await harness.clock.settle();
    expect(media.ids()).toHaveLength(1);
    harness.clock.jump(2 * DAY);
    // This process deletes the message, but dies before it deletes the file.
    const dying = { ...storage, uploads: { ...storage.uploads, listAbandoned: silence } };
    await harness.another({ ...options, storage: dying, roles: only('maintenance') });
    await harness.clock.advance(HOUR);
    expect((await harness.api.messages.list()).data).toEqual([]);
    expect(media.ids()).toHaveLength(1);
    await harness.another({ ...options, roles: only('maintenance') });
    await harness.clock.advance(2 * MINUTE);
    expect(media.ids()).toEqual([]);
  });

  it.each([0, 1.5, 40_000, '30', 'never'])('cannot be kept for %j days', async (messagesDays) => {
    const { trunkline, workspaceId } = await startHarness();
    const wrong = { messagesDays } as Retention; // wrong on purpose
    await expect(trunkline.admin.workspaces.setRetention(workspaceId, wrong)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
  });
});

describe('a contact', () => {
  const report = (name: string): ContactReport => ({
    networkId: `${name}@net`,
    aliases: [],
    phoneNumber: null,
    name,
    username: null,
  });
  const written = (name: string, text: string): IncomingMessage => ({
    networkId: `${name} ${text}`,
    senderId: `${name}@net`,
    from: null,
    groupNetworkId: 'team@g',
    contact: report(name),
    content: { type: 'text', text },
  });
  const namesOf = async ({ storage, workspaceId }: Harness) =>
    (await storage.erasure.listContacts(workspaceId, { after: null, limit: 10 })).rows.map(
      ({ name }) => name,
    );

  it('is deleted once its last message is, and not before', async () => {
    const gateway = scriptedGateway();
    const { harness } = await connected({ gateway, retention: { messagesDays: 10 } });
    const { listener } = gateway.last();
    await listener.groups([{ networkId: 'team@g', name: 'Team', participantsCount: 3 }]);
    for (const name of ['Ada', 'Bob']) await listener.message(written(name, 'first'));
    harness.clock.jump(9 * DAY);
    await harness.clock.settle();
    const again = gateway.last().listener;
    await again.message(written('Bob', 'second'));
    harness.clock.jump(2 * DAY);
    await harness.clock.advance(MINUTE);
    expect((await harness.api.messages.list()).data.map(({ text }) => text)).toEqual(['second']);
    harness.clock.jump(DAY);
    await harness.clock.advance(MINUTE);
    expect(await namesOf(harness)).toEqual(['Bob']);
    harness.clock.jump(10 * DAY);
    await harness.clock.advance(MINUTE);
    harness.clock.jump(DAY);
    await harness.clock.advance(MINUTE);
    expect(await namesOf(harness)).toEqual([]);
  });

  it('is kept with a message to the number that was dialled for it', async () => {
    const gateway = scriptedGateway({
      send: async () => ({ kind: 'accepted', recipient: { ...report('Ada'), phoneNumber: '554788880001' } }),
    });
    const { harness, id } = await connected({ gateway, retention: { messagesDays: 10 } });
    for (let day = 0; day < 11; day += 9) {
      await sendText(harness, id, '5547988880001');
      await harness.clock.settle();
      harness.clock.jump(9 * DAY);
      await harness.clock.advance(MINUTE);
    }
    expect((await harness.api.messages.list()).data).toHaveLength(1);
    expect(await namesOf(harness)).toEqual(['Ada']);
    harness.clock.jump(2 * DAY);
    await harness.clock.advance(MINUTE);
    harness.clock.jump(DAY);
    await harness.clock.advance(MINUTE);
    expect(await namesOf(harness)).toEqual([]);
  });

  it('is kept if messages are kept forever', async () => {
    const gateway = scriptedGateway();
    const { harness } = await connected({ gateway });
    await gateway.last().listener.message({ ...written('Ada', 'first'), groupNetworkId: null });
    harness.clock.jump(400 * DAY);
    await harness.clock.advance(MINUTE);
    expect(await namesOf(harness)).toEqual(['Ada']);
  });
});

async function eventsOf({ storage, workspaceId }: Harness, messageId: string) {
  return (await storage.events.list(workspaceId, { messageId }, { from: null, limit: 100 }, 0)).rows;
}

describe('an idempotency record', () => {
  it('is deleted once it is forgotten', async () => {
    const harness = await startHarness();
    const instance = await connectInstance(harness);
    await harness.api.messages.send(
      { instance, to: '34600000009', type: 'text', text: 'Hello' },
      { idempotencyKey: 'order-1' },
    );
    expect(
      await harness.storage.messages.findIdempotencyRecord(harness.workspaceId, 'order-1'),
    ).not.toBeNull();
    harness.clock.jump(DAY + 2 * HOUR);
    await harness.clock.advance(MINUTE);
    expect(await harness.storage.messages.findIdempotencyRecord(harness.workspaceId, 'order-1')).toBeNull();
  });
});

describe('a delivery that was cancelled with its endpoint', () => {
  it('is eventually stored, and reads the same before and after', async () => {
    const harness = await startHarness({ roles: only('api', 'webhooks', 'maintenance') });
    const { id } = await listen(harness);
    harness.sender.respond(() => REFUSED);
    const { id: deliveryId } = await harness.api.webhooks.test(id);
    await harness.clock.settle();
    await harness.api.webhooks.delete(id);
    const before = await harness.api.deliveries.get(deliveryId);
    await harness.clock.advance(2 * MINUTE);
    expect(await harness.api.deliveries.get(deliveryId)).toEqual(before);
    expect(await harness.storage.deliveries.sweepClosed(10)).toBe(0);
  });
});
