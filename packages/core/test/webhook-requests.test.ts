import { verify } from '@trunkline/receiver';
import type { VerifyResult } from '@trunkline/receiver';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { REFUSED, TAKEN } from '../src/testing/index.ts';
import type { RecordedRequest } from '../src/testing/index.ts';
import {
  MINUTE,
  SECOND,
  STEP,
  connectInstance,
  listen,
  only,
  sendText,
  startWorld,
} from './support/world.ts';
import type { World } from './support/world.ts';

/** A process that only answers requests and sends webhooks. */
const senders = () => startWorld({ roles: only('api', 'webhooks') });

function check(
  { clock }: World,
  request: RecordedRequest | undefined,
  secret: string,
): Promise<VerifyResult> {
  const headers = Object.fromEntries(request?.headers ?? []);
  return verify({ secret, headers, body: new TextEncoder().encode(request?.body), receivedAt: clock.now() });
}

describe('the request that a receiver gets', () => {
  it('passes the check of its receiver, with the five fields of the envelope', async () => {
    const world = await startWorld();
    const { secret } = await listen(world);
    const id = await connectInstance(world, { profileName: 'Ärger mit Ümläuten 🙂' });
    await sendText(world, id, '34600000009', 'Grüße "quoted" \u2028 🙂');
    await world.clock.advance(3 * STEP);

    expect(world.sender.requests.length).toBe(5);
    for (const request of world.sender.requests) {
      const checked = await check(world, request, secret);
      expect(checked.ok && checked.event.workspace_id).toBe(world.workspaceId);
      expect(Object.keys(JSON.parse(request.body))).toEqual([
        'id',
        'type',
        'created_at',
        'workspace_id',
        'data',
      ]);
    }
  });

  it('has exactly the headers of the specification and of Standard Webhooks', async () => {
    const world = await senders();
    const { id } = await listen(world);
    const delivery = await world.api.webhooks.test(id);
    await world.clock.settle();
    const [request] = world.sender.requests;
    expect(Object.fromEntries(request?.headers ?? [])).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhooks/1.0',
      'X-Service-Event': 'webhook.test',
      'X-Service-Delivery': delivery.id,
      'X-Service-Timestamp': String(world.clock.now() / 1000),
      'X-Service-Signature': expect.stringMatching(/^v1=[0-9a-f]{64}$/),
      'webhook-id': delivery.event.id,
      'webhook-timestamp': String(world.clock.now() / 1000),
      'webhook-signature': expect.stringMatching(/^v1,[0-9A-Za-z+/]{43}=$/),
    });
  });

  it('has the headers of the specification alone where Standard Webhooks is switched off', async () => {
    const world = await startWorld({ roles: only('api', 'webhooks'), standardWebhooks: false });
    const { id } = await listen(world);
    const delivery = await world.api.webhooks.test(id);
    await world.clock.settle();
    const names = [...(world.sender.requests[0]?.headers.keys() ?? [])];
    expect(names).toHaveLength(6);
    expect(names.filter((name) => name.startsWith('webhook-'))).toEqual([]);
    const { request } = await world.api.deliveries.get(delivery.id);
    expect(request.headers).not.toHaveProperty('webhook-id');
  });

  it('passes the check of the Standard Webhooks library, by the secret as it was shown', async () => {
    const world = await startWorld();
    const { secret } = await listen(world);
    const id = await connectInstance(world, { profileName: 'Ärger mit Ümläuten 🙂' });
    await sendText(world, id, '34600000009', 'Grüße "quoted" \u2028 🙂');
    await world.clock.advance(3 * STEP);
    const library = new Webhook(secret);
    // It reads the time itself.
    vi.setSystemTime(world.clock.now());
    onTestFinished(() => void vi.useRealTimers());
    expect(world.sender.requests).toHaveLength(5);
    for (const { headers, body } of world.sender.requests) {
      const event: unknown = JSON.parse(body);
      expect(library.verify(body, Object.fromEntries(headers))).toEqual(event);
      expect(event).toMatchObject({ id: headers.get('webhook-id') });
      expect(() => library.verify(`${body} `, Object.fromEntries(headers))).toThrow(/signature/i);
    }
  });

  it('is signed anew on each attempt, over the same bytes and for the same delivery', async () => {
    const world = await senders();
    const { id, secret } = await listen(world);
    world.sender.answer(() => REFUSED);
    await world.api.webhooks.test(id);
    await world.clock.advance(MINUTE);

    const [first, second] = world.sender.requests;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers.get('X-Service-Delivery')).toBe(first?.headers.get('X-Service-Delivery'));
    expect(Number(second?.headers.get('X-Service-Timestamp'))).toBe(
      Number(first?.headers.get('X-Service-Timestamp')) + 60,
    );
    expect(second?.headers.get('X-Service-Signature')).not.toBe(first?.headers.get('X-Service-Signature'));
    expect(await check(world, second, secret)).toMatchObject({ ok: true });
  });

  it('carries one event id to every endpoint, and a delivery and a signature of its own', async () => {
    const world = await startWorld();
    const endpoints = [
      await listen(world, 'https://one.example/'),
      await listen(world, 'https://two.example/'),
    ];
    await connectInstance(world);
    const requests = world.sender.requests.filter(({ body }) => body.includes('instance.connected'));
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers.get('X-Service-Delivery'))).size).toBe(2);
    for (const { url, secret } of endpoints) {
      const own = requests.find((request) => request.url === url);
      const foreign = requests.find((request) => request.url !== url);
      expect(await check(world, own, secret)).toMatchObject({ ok: true });
      expect(await check(world, foreign, secret)).toMatchObject({ reason: 'signature_mismatch' });
    }
  });

  it('comes for the events that an endpoint asked for, and for those of its workspace', async () => {
    const world = await startWorld();
    await world.api.webhooks.create({ url: 'https://sent.example/', events: ['message.sent'] });
    const { id } = await world.trunkline.admin.workspaces.create({ name: 'Other' });
    await listen({ ...world, api: world.trunkline.workspace(id) }, 'https://other.example/');
    await sendText(world, await connectInstance(world));
    await world.clock.advance(3 * STEP);
    expect(world.sender.requests.map(({ url, headers }) => [url, headers.get('X-Service-Event')])).toEqual([
      ['https://sent.example/', 'message.sent'],
    ]);
  });
});

describe('the secret of a webhook', () => {
  it('that replaces another signs at once, scheduled retries too, and the old one signs nothing more', async () => {
    const world = await senders();
    const { id, secret: old } = await listen(world);
    world.sender.answer(() => REFUSED);
    await world.api.webhooks.test(id);
    await world.clock.advance(30 * SECOND);
    const rotated = await world.api.webhooks.rotateSecret(id);
    expect(rotated).toMatchObject({ id, secret_hint: `…${rotated.secret.slice(-4)}` });
    expect(rotated.secret).toMatch(/^whsec_/);
    await world.clock.advance(30 * SECOND);

    const [, retry] = world.sender.requests;
    expect(await check(world, retry, rotated.secret)).toMatchObject({ ok: true });
    expect(await check(world, retry, old)).toMatchObject({ ok: false, reason: 'signature_mismatch' });
  });

  it('is told when it is made, and never again', async () => {
    const world = await senders();
    const { id, secret } = await listen(world);
    await world.api.webhooks.rotateSecret(id);
    expect(await world.api.webhooks.get(id)).not.toHaveProperty('secret');
    expect((await world.api.webhooks.list()).data[0]).not.toHaveProperty('secret');
    expect(await world.api.webhooks.update(id, { description: 'x' })).not.toHaveProperty('secret');
    expect(JSON.stringify(await world.storage.webhooks.list(world.workspaceId))).not.toContain(secret);
  });
});

describe('a test event', () => {
  it('goes to the endpoint under test, whatever it subscribes to', async () => {
    const world = await senders();
    const webhook = await world.api.webhooks.create({
      url: 'https://hooks.example.com/',
      events: ['message.read'],
      description: 'CRM',
    });
    await listen(world);
    const delivery = await world.api.webhooks.test(webhook.id);
    expect(delivery).toMatchObject({
      webhook_id: webhook.id,
      event: { type: 'webhook.test' },
      status: 'pending',
      attempts: 0,
      max_attempts: 8,
    });
    await world.clock.settle();
    expect(world.sender.requests).toHaveLength(1);
    expect(JSON.parse(world.sender.requests[0]?.body ?? '')).toMatchObject({
      type: 'webhook.test',
      data: { webhook: { id: webhook.id, url: 'https://hooks.example.com/', description: 'CRM' } },
    });
    expect(await world.api.webhooks.get(webhook.id)).toMatchObject({
      last_delivery: { id: delivery.id, status: 'success', response_status: 200 },
    });
  });

  it('of a disabled endpoint is refused', async () => {
    const { api } = await senders();
    const { id } = await api.webhooks.create({ url: 'https://hooks.example.com/', events: ['message.read'] });
    await api.webhooks.update(id, { status: 'disabled' });
    await expect(api.webhooks.test(id)).rejects.toMatchObject({ code: 'WEBHOOK_DISABLED', status: 409 });
  });
});

describe('the detail of a delivery', () => {
  it('shows the request without its secrets, and each attempt', async () => {
    const world = await senders();
    const { id, url } = await listen(world);
    world.sender.answer(
      () =>
        new Promise((resolve) =>
          world.clock.setTimer(1_500, () => resolve(world.sender.requests.length === 1 ? REFUSED : TAKEN)),
        ),
    );
    const { id: deliveryId } = await world.api.webhooks.test(id);
    await world.clock.advance(2 * MINUTE);

    const { event, request, attempt_log } = await world.api.deliveries.get(deliveryId);
    expect(request).toEqual({
      url,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Service-Webhooks/1.0',
        'X-Service-Event': 'webhook.test',
        'X-Service-Delivery': deliveryId,
        'webhook-id': event.id,
      },
      payload: JSON.parse(world.sender.requests[0]?.body ?? ''),
    });
    expect(attempt_log).toMatchObject([
      {
        attempt: 1,
        manual: false,
        response_status: 500,
        response_body: 'no',
        duration_ms: 1500,
        error_code: 'HTTP_ERROR',
      },
      {
        attempt: 2,
        manual: false,
        response_status: 200,
        response_body: 'ok',
        duration_ms: 1500,
        error_code: null,
      },
    ]);
  });

  it('keeps the URL that it went to when the endpoint moves', async () => {
    const world = await senders();
    const { id } = await listen(world, 'https://old.example/');
    world.sender.answer(() => REFUSED);
    const { id: deliveryId } = await world.api.webhooks.test(id);
    await world.clock.settle();
    await world.api.webhooks.update(id, { url: 'https://new.example/' });
    expect((await world.api.deliveries.get(deliveryId)).request.url).toBe('https://old.example/');
    await world.clock.advance(MINUTE);
    expect(world.sender.requests.map(({ url }) => url)).toEqual([
      'https://old.example/',
      'https://new.example/',
    ]);
    expect((await world.api.deliveries.get(deliveryId)).request.url).toBe('https://new.example/');
  });
});
