import { expect, it } from 'vitest';
import { SCOPES } from '@trunkline/core';
import { createClient } from '../../src/client/index.ts';
import type { TrunklineClient } from '../../src/client/index.ts';
import { startService } from '../service.ts';
import type { Service } from '../service.ts';

async function newClient(service: Service): Promise<TrunklineClient> {
  const { admin } = service.trunkline;
  const { id: workspaceId } = await admin.workspaces.create({ name: 'Acme' });
  const { token } = await admin.apiKeys.create({ workspaceId, name: 'ci', scopes: SCOPES });
  const fetch = async (url: string, init: RequestInit): Promise<Response> => service.app.request(url, init);
  return createClient({ baseUrl: 'http://localhost/api/v1', apiKey: token, fetch });
}

async function dataOf<Data>(
  call: Promise<{ ok: true; data: Data } | { ok: false; error: unknown }>,
): Promise<Data> {
  const result = await call;
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.data;
}

it('the client reaches every operation of the service', async () => {
  const service = await startService();
  const client = await newClient(service);
  expect((await dataOf(client.apiKey.get())).workspace.name).toBe('Acme');

  const { instances, messages, webhooks, deliveries } = client;
  const { id } = await dataOf(instances.create());
  expect((await dataOf(instances.update(id, { name: 'Orders' }))).name).toBe('Orders');
  expect(await dataOf(instances.list())).toEqual([await dataOf(instances.get(id))]);
  expect((await dataOf(service.during(instances.connect(id)))).status).toBe('connecting');
  expect((await dataOf(instances.qr(id))).svg).toMatch(/^<svg/);
  await service.sandbox.phone(id).scan();
  await service.clock.settle();
  expect((await dataOf(instances.groups(id))).map(({ name }) => name)).toEqual(['Family', 'Team']);

  const registered = await webhooks.create({ url: 'https://app.example.com/hook', events: ['message.sent'] });
  const webhook = await dataOf(Promise.resolve(registered));
  expect(webhook.secret).toMatch(/^whsec_/);
  expect((await dataOf(webhooks.update(webhook.id, { description: 'Mine' }))).description).toBe('Mine');
  expect((await dataOf(webhooks.rotateSecret(webhook.id))).secret).not.toBe(webhook.secret);
  expect(await webhooks.list()).toMatchObject({ ok: true, configured: false });

  const message = { instance: id, to: '+1 555 0100', type: 'text', text: 'Hello' } as const;
  const sent = await messages.send(message, { idempotencyKey: 'order-1' });
  expect(sent).toMatchObject({ ok: true, replayed: false, data: { status: 'queued', to: '15550100' } });
  expect(await messages.send(message, { idempotencyKey: 'order-1' })).toMatchObject({
    ok: true,
    replayed: true,
  });
  await service.clock.advance(1_000);
  const [first] = await dataOf(messages.list({ instance: id, limit: 1 }));
  expect(await dataOf(messages.get(first?.id ?? ''))).toMatchObject({ id: first?.id, status: 'read' });

  const test = await dataOf(webhooks.test(webhook.id));
  await service.clock.advance(1_000);
  expect((await dataOf(deliveries.get(test.id))).attempt_log).toHaveLength(1);
  for (const again of [deliveries.retry, deliveries.tryNow])
    expect(await again(test.id)).toMatchObject({ error: { code: 'WEBHOOK_RETRY_NOT_ALLOWED' } });
  expect(await dataOf(webhooks.retryFailedDeliveries(webhook.id))).toEqual({ requeued: 0, remaining: 0 });
  expect(await webhooks.list()).toMatchObject({ ok: true, configured: true });
  const events: string[] = [];
  for await (const { event } of webhooks.iterateDeliveries(webhook.id, { limit: 1 })) events.push(event.type);
  expect(events).toEqual(['webhook.test', 'message.sent']);

  expect((await dataOf(service.during(instances.disconnect(id)))).status).toBe('disconnected');
  expect((await dataOf(service.during(instances.logout(id)))).paired).toBe(false);
  expect(await service.during(instances.delete(id))).toMatchObject({ ok: true });
  expect(await webhooks.delete(webhook.id)).toMatchObject({ ok: true });
  expect(await webhooks.get(webhook.id)).toMatchObject({
    ok: false,
    error: { code: 'WEBHOOK_NOT_FOUND', status: 404 },
  });
});

it('the client goes through the pages of messages', async () => {
  const service = await startService();
  const client = await newClient(service);
  const { id } = await dataOf(client.instances.create());
  await service.during(client.instances.connect(id));
  await service.sandbox.phone(id).scan();
  await service.clock.settle();
  for (const text of ['one', 'two', 'three', 'four', 'five']) {
    await client.messages.send({ instance: id, to: '15550100', type: 'text', text });
    await service.clock.advance(1_000);
  }
  const texts: (string | null)[] = [];
  for await (const { text } of client.messages.iterate({ limit: 2, direction: 'outbound' })) texts.push(text);
  expect(texts).toEqual(['five', 'four', 'three', 'two', 'one']);

  const page = await client.messages.list({ limit: 2 });
  expect(page).toMatchObject({ ok: true, perPage: 2, prevCursor: null, nextCursor: expect.any(String) });
});
