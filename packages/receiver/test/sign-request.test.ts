import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verify } from '@trunkline/receiver';
import { createEvent, signRequest, vectors } from '@trunkline/receiver/testing';

const secret = 'whsec_test';
const whole = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const TEST = {
  id: 'evt_1',
  type: 'webhook.test',
  data: { webhook: { id: 'wh_1', url: 'https://receiver.test/', description: null } },
} as const;

describe('signRequest', () => {
  it('makes a request that passes, with a new event each time', async () => {
    const [first, second] = [await signRequest({ secret }), await signRequest({ secret })];
    expect(await verify({ secret, ...first })).toMatchObject({ ok: true, event: { type: 'webhook.test' } });
    expect(first.body).not.toEqual(second.body);
    expect(first.headers['X-Service-Event']).toBe('webhook.test');
  });

  it('uses the given fields of the event', async () => {
    const data = { instance: { id: 'ins_1', name: 'Desk', status: 'error' } } as const;
    const request = await signRequest({ secret, event: { id: 'evt_9', type: 'instance.error', data } });
    expect(await verify({ secret, ...request })).toMatchObject({ ok: true, event: { id: 'evt_9', data } });
  });

  it('signs the given body, at the given time', async () => {
    const request = await signRequest({ secret, body: '{ }', timestamp: 5 });
    expect(Buffer.from(request.body).toString()).toBe('{ }');
    expect(await verify({ secret, ...request, receivedAt: 5000 })).toMatchObject({ reason: 'invalid_event' });
    expect(await verify({ secret, ...request })).toMatchObject({ reason: 'timestamp_out_of_tolerance' });
  });

  it('signs by the headers of Standard Webhooks too, which its library accepts', async () => {
    const { headers, body } = await signRequest({ secret: whole, event: TEST });
    expect(new Webhook(whole).verify(Buffer.from(body).toString(), headers)).toMatchObject({ id: TEST.id });
    expect(headers['webhook-id']).toBe(TEST.id);
    const spoilt = { ...headers, 'webhook-id': 'evt_other' };
    expect(() => new Webhook(whole).verify(Buffer.from(body).toString(), spoilt)).toThrow(/signature/i);
  });

  it('omits the headers of Standard Webhooks if the secret is not base64', async () => {
    const { headers } = await signRequest({ secret: 'not base64!' });
    expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([]);
  });

  it('goes into a Fetch Request as it is', async () => {
    const request = new Request('http://receiver.test/', await signRequest({ secret }));
    const { headers } = request;
    expect(await verify({ secret, headers, body: await request.arrayBuffer() })).toMatchObject({ ok: true });
  });
});

it('createEvent counts microseconds', () => {
  expect(createEvent().created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
});

it('the vectors have a case for every reason that verify() may return', () => {
  const reasons = new Set(
    [...vectors.requests, ...vectors.standard_requests].map(({ expect: expected }) =>
      expected.ok ? 'ok' : expected.reason,
    ),
  );
  expect([...reasons].toSorted()).toEqual([
    'invalid_event',
    'invalid_id',
    'invalid_json',
    'invalid_signature_format',
    'invalid_timestamp',
    'missing_id',
    'missing_signature',
    'missing_timestamp',
    'ok',
    'signature_mismatch',
    'timestamp_out_of_tolerance',
  ]);
});
