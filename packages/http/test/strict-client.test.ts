import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { textOf } from './client.ts';
import type { Json, Seen } from './client.ts';
import { everyEvent } from './every-event.ts';
import type { Happened } from './every-event.ts';
import { firstColumn, shapeAfter, shapeOf } from './specification-shapes.ts';

/**
 * A client that knows version 1.0.0 of the specification alone. It ignores fields that were added later, except where the
 * specification says "exactly". No field of its tables may be missing, or of another type.
 */
const SHAPES = {
  apiKey: shapeOf('API key info (`data` of GET /api-key)'),
  instance: shapeOf('Instance'),
  group: shapeOf('Group'),
  message: shapeOf('Message'),
  webhook: shapeOf('Webhook endpoint'),
  delivery: shapeOf('Webhook delivery'),
  request: shapeAfter('`request`: object with '),
  attempt: shapeAfter('`attempt_log`: array of objects: '),
  event: shapeOf('Request the receiver gets', { exact: true }),
} as const;

const EVENTS = firstColumn('Event type');
const [, ...SUBSCRIBABLE] = EVENTS.toReversed();
const HEADERS = firstColumn('Header');

let happened: Happened;

beforeAll(async () => {
  happened = await everyEvent({ onEnd: () => {} }, { events: SUBSCRIBABLE });
  return () => happened.service.during(happened.service.trunkline.stop());
});

function expectShape(shape: z.ZodObject, value: unknown): void {
  const { error } = shape.safeParse(value);
  expect(error?.issues ?? [], JSON.stringify(value)).toEqual([]);
}

const dataOf = ({ text }: Seen): readonly Json[] => [JSON.parse(text).data].flat();

async function read(path: string, shape: z.ZodObject): Promise<readonly Json[]> {
  const seen = await happened.call('GET', path);
  expect([path, seen.status]).toEqual([path, 200]);
  const found = dataOf(seen);
  expect(found.length, path).toBeGreaterThan(0);
  for (const object of found) expectShape(shape, object);
  return found;
}

describe('a client that knows the specification alone', () => {
  test('finds the tables of the specification', () => {
    expect(EVENTS).toHaveLength(10);
    expect(Object.keys(SHAPES.event.shape)).toHaveLength(5);
    expect(Object.keys(SHAPES.message.shape)).toHaveLength(19);
    expect(Object.keys(SHAPES.attempt.shape)).toHaveLength(7);
  });

  test('understands everything that it reads, whatever has happened', async () => {
    await read('/api-key', SHAPES.apiKey);
    for (const { id } of await read('/instances', SHAPES.instance))
      await read(`/instances/${textOf(id)}`, SHAPES.instance);
    const { service, call } = happened;
    const instance = await service.connected(call);
    await service.sandbox.phone(instance).addGroup({ name: 'Choir', participantsCount: 9 });
    await service.clock.settle();
    await read(`/instances/${instance}/groups`, SHAPES.group);
    for (const { id } of await read('/messages?limit=100', SHAPES.message))
      await read(`/messages/${textOf(id)}`, SHAPES.message);
    const [endpoint] = await read('/webhooks', SHAPES.webhook);
    expect(endpoint).not.toHaveProperty('secret');
    for (const { id } of await read(`/webhooks/${happened.webhook}/deliveries?limit=100`, SHAPES.delivery)) {
      const [delivery] = await read(`/webhook-deliveries/${textOf(id)}`, SHAPES.delivery);
      expectShape(SHAPES.request, delivery?.request);
      for (const attempt of Object.values(delivery?.attempt_log ?? {})) expectShape(SHAPES.attempt, attempt);
    }
  });

  test('gets only events that it has subscribed to, each with exactly the five fields', async () => {
    const types = new Set<string>();
    for (const { body } of happened.requests) {
      const event = JSON.parse(body);
      expectShape(SHAPES.event, event);
      if ('message' in event.data) expectShape(SHAPES.message, event.data.message);
      types.add(event.type);
    }
    expect([...types].toSorted()).toEqual(EVENTS.toSorted());
  });

  test('verifies each request by the headers that it knows', async () => {
    const { json } = await happened.call('POST', `/webhooks/${happened.webhook}/rotate-secret`);
    expectShape(SHAPES.webhook, json.data);
    const secret = textOf(json.data?.secret);
    const before = happened.requests.length;
    await happened.call('POST', `/webhooks/${happened.webhook}/test`);
    await happened.service.clock.advance(1_000);
    const [request] = happened.requests.slice(before);
    const headers = Object.fromEntries(HEADERS.map((name) => [name, request?.headers.get(name)]));
    const signed = `${headers['X-Service-Timestamp']}.${request?.body}`;
    expect(headers).toEqual({
      'User-Agent': 'Service-Webhooks/1.0',
      'X-Service-Event': 'webhook.test',
      'X-Service-Delivery': expect.stringMatching(/^whd_/),
      'X-Service-Timestamp': expect.stringMatching(/^\d+$/),
      'X-Service-Signature': `v1=${createHmac('sha256', secret).update(signed).digest('hex')}`,
    });
  });
});
