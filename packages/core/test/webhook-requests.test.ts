import { verify } from '@trunkline/receiver';
import type { VerifyResult } from '@trunkline/receiver';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
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
  startHarness,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const senders = () => startHarness({ roles: only('api', 'webhooks') });

function check(
  { clock }: Harness,
  request: RecordedRequest | undefined,
  secret: string,
): Promise<VerifyResult> {
  const headers = Object.fromEntries(request?.headers ?? []);
  return verify({ secret, headers, body: new TextEncoder().encode(request?.body), receivedAt: clock.now() });
}

function standardVerdict(
  { headers, body }: Pick<RecordedRequest, 'headers' | 'body'>,
  secret: string,
): string {
  // The library reads the system's clock.
  vi.setSystemTime(Number(headers.get('webhook-timestamp')) * 1000);
  try {
    expect(new Webhook(secret).verify(body, Object.fromEntries(headers))).toEqual(JSON.parse(body));
    return 'accepted';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.message;
    throw error;
  } finally {
    vi.useRealTimers();
  }
}

describe('the request that a receiver gets', () => {
  it('passes the check of its receiver, with the five fields of the envelope', async () => {
    const harness = await startHarness();
    const { secret } = await listen(harness);
    const id = await connectInstance(harness, { profileName: 'Ärger mit Ümläuten 🙂' });
    await sendText(harness, id, '34600000009', 'Grüße "quoted" \u2028 🙂');
    await harness.clock.advance(3 * STEP);

    expect(harness.sender.requests.length).toBe(5);
    for (const request of harness.sender.requests) {
      const checked = await check(harness, request, secret);
      expect(checked.ok && checked.event.workspace_id).toBe(harness.workspaceId);
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
    const harness = await senders();
    const { id } = await listen(harness);
    const delivery = await harness.api.webhooks.test(id);
    await harness.clock.settle();
    const [request] = harness.sender.requests;
    expect(Object.fromEntries(request?.headers ?? [])).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhooks/1.0',
      'X-Service-Event': 'webhook.test',
      'X-Service-Delivery': delivery.id,
      'X-Service-Timestamp': String(harness.clock.now() / 1000),
      'X-Service-Signature': expect.stringMatching(/^v1=[0-9a-f]{64}$/),
      'webhook-id': delivery.event.id,
      'webhook-timestamp': String(harness.clock.now() / 1000),
      'webhook-signature': expect.stringMatching(/^v1,[0-9A-Za-z+/]{43}=$/),
    });
  });

  it('has only the headers of the specification if Standard Webhooks is switched off', async () => {
    const harness = await startHarness({ roles: only('api', 'webhooks'), standardWebhooks: false });
    const { id } = await listen(harness);
    const delivery = await harness.api.webhooks.test(id);
    await harness.clock.settle();
    const names = [...(harness.sender.requests[0]?.headers.keys() ?? [])];
    expect(names).toHaveLength(6);
    expect(names.filter((name) => name.startsWith('webhook-'))).toEqual([]);
    const { request } = await harness.api.deliveries.get(delivery.id);
    expect(request.headers).not.toHaveProperty('webhook-id');
  });

  it('passes the check of the Standard Webhooks library, by the secret as it was shown', async () => {
    const harness = await startHarness();
    const { secret } = await listen(harness);
    const id = await connectInstance(harness, { profileName: 'Ärger mit Ümläuten 🙂' });
    await sendText(harness, id, '34600000009', 'Grüße "quoted" \u2028 🙂');
    await harness.clock.advance(3 * STEP);
    expect(harness.sender.requests).toHaveLength(5);
    for (const { headers, body } of harness.sender.requests) {
      expect(standardVerdict({ headers, body }, secret)).toBe('accepted');
      expect(standardVerdict({ headers, body: `${body} ` }, secret)).toMatch(/signature/i);
      expect(JSON.parse(body)).toMatchObject({ id: headers.get('webhook-id') });
    }
  });

  it('is signed again on each attempt, over the same bytes and for the same delivery', async () => {
    const harness = await senders();
    const { id, secret } = await listen(harness);
    harness.sender.respond(() => REFUSED);
    await harness.api.webhooks.test(id);
    await harness.clock.advance(MINUTE);

    const [first, second] = harness.sender.requests;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers.get('X-Service-Delivery')).toBe(first?.headers.get('X-Service-Delivery'));
    expect(Number(second?.headers.get('X-Service-Timestamp'))).toBe(
      Number(first?.headers.get('X-Service-Timestamp')) + 60,
    );
    expect(second?.headers.get('X-Service-Signature')).not.toBe(first?.headers.get('X-Service-Signature'));
    expect(await check(harness, second, secret)).toMatchObject({ ok: true });
  });

  it('carries one event id to every endpoint, and a delivery and a signature of its own', async () => {
    const harness = await startHarness();
    const endpoints = [
      await listen(harness, 'https://one.example/'),
      await listen(harness, 'https://two.example/'),
    ];
    await connectInstance(harness);
    const requests = harness.sender.requests.filter(({ body }) => body.includes('instance.connected'));
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers.get('X-Service-Delivery'))).size).toBe(2);
    for (const { url, secret } of endpoints) {
      const own = requests.find((request) => request.url === url);
      const foreign = requests.find((request) => request.url !== url);
      expect(await check(harness, own, secret)).toMatchObject({ ok: true });
      expect(await check(harness, foreign, secret)).toMatchObject({ reason: 'signature_mismatch' });
    }
  });

  it('comes for the events that an endpoint asked for, and for those of its workspace', async () => {
    const harness = await startHarness();
    await harness.api.webhooks.create({ url: 'https://sent.example/', events: ['message.sent'] });
    const { id } = await harness.trunkline.admin.workspaces.create({ name: 'Other' });
    await listen({ ...harness, api: harness.trunkline.workspace(id) }, 'https://other.example/');
    await sendText(harness, await connectInstance(harness));
    await harness.clock.advance(3 * STEP);
    expect(harness.sender.requests.map(({ url, headers }) => [url, headers.get('X-Service-Event')])).toEqual([
      ['https://sent.example/', 'message.sent'],
    ]);
  });
});

describe('the secret of a webhook', () => {
  it('signs immediately when it replaces another, scheduled retries too, and the old one signs nothing more', async () => {
    const harness = await senders();
    const { id, secret: old } = await listen(harness);
    harness.sender.respond(() => REFUSED);
    await harness.api.webhooks.test(id);
    await harness.clock.advance(30 * SECOND);
    const rotated = await harness.api.webhooks.rotateSecret(id);
    expect(rotated).toMatchObject({ id, secret_hint: `…${rotated.secret.slice(-4)}` });
    expect(rotated.secret).toMatch(/^whsec_/);
    await harness.clock.advance(30 * SECOND);

    const [, retry] = harness.sender.requests;
    expect(await check(harness, retry, rotated.secret)).toMatchObject({ ok: true });
    expect(await check(harness, retry, old)).toMatchObject({ ok: false, reason: 'signature_mismatch' });
  });

  it('signs from the time on that its rotation names, and the old one signs until then', async () => {
    const harness = await senders();
    const { id, secret: old } = await listen(harness);
    const { webhooks } = harness.api;
    const signs = async (secret: string): Promise<boolean> => {
      await webhooks.test(id);
      await harness.clock.settle();
      return (await check(harness, harness.sender.requests.at(-1), secret)).ok;
    };
    const begins = harness.clock.now() + 6 * MINUTE;
    const rotated = await webhooks.rotateSecret(id, { after_seconds: 360 });
    expect(rotated).toMatchObject({ secret_hint: `…${rotated.secret.slice(-4)}` });
    expect(Date.parse(rotated.secret_begins_at ?? '')).toBe(begins);
    expect(await signs(old)).toBe(true);
    // Another one replaces the one that has not begun.
    const second = await webhooks.rotateSecret(id, { after_seconds: 360 });
    await harness.clock.advance(6 * MINUTE - 1);
    expect(await signs(old)).toBe(true);
    await harness.clock.advance(1);
    expect(await signs(second.secret)).toBe(true);
    expect(await webhooks.get(id)).toMatchObject({ secret_begins_at: null });

    const third = await webhooks.rotateSecret(id, { after_seconds: 60 });
    expect(await signs(second.secret)).toBe(true);
    const atOnce = await webhooks.rotateSecret(id);
    expect(atOnce.secret_begins_at).toBeNull();
    expect(await signs(atOnce.secret)).toBe(true);
    await harness.clock.advance(MINUTE);
    expect(await signs(third.secret)).toBe(false);
  });

  it.each([-1, 0.5, 604_801, '60', {}])('is not rotated after %j seconds', async (seconds) => {
    const harness = await senders();
    const { id, secret } = await listen(harness);
    const rotation = { after_seconds: seconds } as never;
    await expect(harness.api.webhooks.rotateSecret(id, rotation)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { fields: { after_seconds: [expect.any(String)] } },
    });
    await harness.api.webhooks.test(id);
    await harness.clock.settle();
    expect(await check(harness, harness.sender.requests[0], secret)).toMatchObject({ ok: true });
  });

  it('keys the Standard Webhooks signature immediately when it replaces another, of scheduled retries too', async () => {
    const harness = await senders();
    const { id, secret: old } = await listen(harness);
    harness.sender.respond(() => REFUSED);
    await harness.api.webhooks.test(id);
    await harness.clock.advance(30 * SECOND);
    const { secret } = await harness.api.webhooks.rotateSecret(id);
    await harness.clock.advance(6 * MINUTE);

    const [first, ...later] = harness.sender.requests;
    expect(later).toHaveLength(2);
    if (first === undefined) throw new Error('No webhook was sent.');
    expect(standardVerdict(first, old)).toBe('accepted');
    for (const request of later) {
      expect(standardVerdict(request, secret)).toBe('accepted');
      expect(standardVerdict(request, old)).toMatch(/signature/i);
    }
  });

  it('is shown when it is made, and never again', async () => {
    const harness = await senders();
    const { id, secret } = await listen(harness);
    await harness.api.webhooks.rotateSecret(id);
    expect(await harness.api.webhooks.get(id)).not.toHaveProperty('secret');
    expect((await harness.api.webhooks.list()).data[0]).not.toHaveProperty('secret');
    expect(await harness.api.webhooks.update(id, { description: 'x' })).not.toHaveProperty('secret');
    expect(JSON.stringify(await harness.storage.endpoints.list(harness.workspaceId))).not.toContain(secret);
  });
});

describe('a test event', () => {
  it('goes to the endpoint under test, whatever it subscribes to', async () => {
    const harness = await senders();
    const webhook = await harness.api.webhooks.create({
      url: 'https://hooks.example.com/',
      events: ['message.read'],
      description: 'CRM',
    });
    await listen(harness);
    const delivery = await harness.api.webhooks.test(webhook.id);
    expect(delivery).toMatchObject({
      webhook_id: webhook.id,
      event: { type: 'webhook.test' },
      status: 'pending',
      attempts: 0,
      max_attempts: 8,
    });
    await harness.clock.settle();
    expect(harness.sender.requests).toHaveLength(1);
    expect(JSON.parse(harness.sender.requests[0]?.body ?? '')).toMatchObject({
      type: 'webhook.test',
      data: { webhook: { id: webhook.id, url: 'https://hooks.example.com/', description: 'CRM' } },
    });
    expect(await harness.api.webhooks.get(webhook.id)).toMatchObject({
      last_delivery: { id: delivery.id, status: 'success', response_status: 200 },
    });
  });

  it('is refused if its endpoint is disabled', async () => {
    const { api } = await senders();
    const { id } = await api.webhooks.create({ url: 'https://hooks.example.com/', events: ['message.read'] });
    await api.webhooks.update(id, { status: 'disabled' });
    await expect(api.webhooks.test(id)).rejects.toMatchObject({ code: 'WEBHOOK_DISABLED', status: 409 });
  });
});

describe('the detail of a delivery', () => {
  it('shows the request without its secrets, and each attempt', async () => {
    const harness = await senders();
    const { id, url } = await listen(harness);
    harness.sender.respond(
      () =>
        new Promise((resolve) =>
          harness.clock.setTimer(1_500, () =>
            resolve(harness.sender.requests.length === 1 ? REFUSED : TAKEN),
          ),
        ),
    );
    const { id: deliveryId } = await harness.api.webhooks.test(id);
    await harness.clock.advance(2 * MINUTE);

    const { event, request, attempt_log } = await harness.api.deliveries.get(deliveryId);
    expect(request).toEqual({
      url,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Service-Webhooks/1.0',
        'X-Service-Event': 'webhook.test',
        'X-Service-Delivery': deliveryId,
        'webhook-id': event.id,
      },
      payload: JSON.parse(harness.sender.requests[0]?.body ?? ''),
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
    const harness = await senders();
    const { id } = await listen(harness, 'https://old.example/');
    harness.sender.respond(() => REFUSED);
    const { id: deliveryId } = await harness.api.webhooks.test(id);
    await harness.clock.settle();
    await harness.api.webhooks.update(id, { url: 'https://new.example/' });
    expect((await harness.api.deliveries.get(deliveryId)).request.url).toBe('https://old.example/');
    await harness.clock.advance(MINUTE);
    expect(harness.sender.requests.map(({ url }) => url)).toEqual([
      'https://old.example/',
      'https://new.example/',
    ]);
    expect((await harness.api.deliveries.get(deliveryId)).request.url).toBe('https://new.example/');
  });
});
