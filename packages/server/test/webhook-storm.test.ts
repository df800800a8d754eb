import { expect, it } from 'vitest';
import type { DeliveryDetailResource, DeliveryResource, WebhookResourceWithSecret } from '@trunkline/core';
import { seededRandom } from '@trunkline/core/testing';
import { until } from '@trunkline/test-support';
import { sized } from '@trunkline/test-support/long-form';
import { startMoodyReceiver } from './support/moody-receiver.ts';
import type { MoodyReceiver } from './support/moody-receiver.ts';
import { startSending } from './support/sending-processes.ts';
import type { Ask } from './support/sending-processes.ts';

/** Each caller sends its next request as soon as it has a response. */
const SECONDS = sized('STORM_SECONDS', { short: 1, long: 3 });
const SEED = sized('STORM_SEED', { short: 1, long: 1 });
const PROCESSES = 2;
const WORKSPACES = 2;
const ENDPOINTS = 4;
const CALLERS = 8;
/** How many of the newest deliveries may be retried by hand; some are in flight. */
const LATELY = 10;

/** Every status that a request may get, whatever else happens at the same time. */
const ALLOWED = {
  test: [202, 404, 409],
  retry: [202, 404, 409],
  'retry-failed': [202, 404, 409],
  rotate: [200, 404],
  disable: [200, 404],
  enable: [200, 404],
  move: [200, 404],
  delete: [204, 404],
  read: [200, 404],
} as const satisfies Readonly<Record<string, readonly number[]>>;
type Kind = keyof typeof ALLOWED;
const WEIGHTS: Readonly<Record<Kind, number>> = {
  test: 50,
  retry: 25,
  'retry-failed': 4,
  rotate: 5,
  disable: 3,
  enable: 12,
  move: 5,
  delete: 1,
  read: 7,
};

const KINDS = Object.keys(ALLOWED).flatMap((kind) =>
  Array.from({ length: WEIGHTS[kind as Kind] }, () => kind as Kind),
); // no other keys
/** Reasons why a delivery may wait once the service has nothing to do. */
const RESTING: readonly string[] = ['retry_scheduled', 'throttled', 'endpoint_disabled'];

interface Endpoint {
  /** The endpoint's number in the URLs of the receiver. */
  readonly number: number;
  readonly id: string;
}

interface Workspace {
  readonly ask: Ask;
  readonly endpoints: Endpoint[];
  readonly deliveries: string[];
}

it(
  'requests that conflict with each other lose no webhook, send none twice and break no limit',
  { timeout: 300_000 + SECONDS * 2_000 },
  async () => {
    const roll = dice(SEED);
    const receiver = await startMoodyReceiver(dice(SEED + 1));
    const storm: Storm = { receiver, roll };
    const { newWorkspace, stopSending } = await startSending(PROCESSES);
    const workspaces = await Promise.all(
      Array.from({ length: WORKSPACES }, async () => populate(await newWorkspace(ENDPOINTS), storm)),
    );

    const end = performance.now() + SECONDS * 1_000;
    const callers = Array.from({ length: CALLERS }, async () => {
      while (performance.now() < end) await disturb(workspaces, storm);
    });
    await Promise.all(callers);

    for (const workspace of workspaces) await untilQuiet(workspace);
    await stopSending();
    for (const { ask, deliveries } of workspaces) {
      for (const id of deliveries) expectConsistent(await detailOf(ask, id), receiver);
    }
    expect(receiver.requests.length).toBeGreaterThan(0);
    expect(receiver.mostAtOnce()).toBeLessThanOrEqual(2);
    for (const request of receiver.requests) {
      // The secret is read when the delivery is claimed, a moment before the request is sent.
      expect(await receiver.secretOverFor(request)).toBeLessThan(5_000);
    }
  },
);

function dice(seed: number): (below: number) => number {
  const random = seededRandom(seed);
  return (below) => {
    const [high = 0, low = 0] = random.bytes(2);
    return (high * 256 + low) % below;
  };
}

interface Storm {
  readonly receiver: MoodyReceiver;
  /** Draws a whole number from 0 up to, but not including, its argument. */
  readonly roll: (below: number) => number;
}

async function populate(ask: Ask, storm: Storm): Promise<Workspace> {
  const endpoints: Endpoint[] = [];
  for (let count = 0; count < ENDPOINTS; count += 1) endpoints.push(await register(ask, storm));
  return { ask, endpoints, deliveries: [] };
}

let registered = 0;

async function register(ask: Ask, { receiver }: Storm): Promise<Endpoint> {
  registered += 1;
  const number = registered;
  const body = { url: receiver.url(number), events: ['message.sent'] };
  const { data } = await ask<WebhookResourceWithSecret>('POST', '/webhooks', body);
  receiver.learnSecret(number, data.secret);
  return { number, id: data.id };
}

async function disturb(workspaces: readonly Workspace[], storm: Storm): Promise<void> {
  const { roll, receiver } = storm;
  const workspace = pick(workspaces, roll);
  const { ask, deliveries } = workspace;
  const endpoint = pick(workspace.endpoints, roll);
  const path = `/webhooks/${endpoint.id}`;
  const kind = pick(KINDS, roll);
  switch (kind) {
    case 'test': {
      const { status, data } = await ask<DeliveryResource>('POST', `${path}/test`);
      if (status === 202) deliveries.push(data.id);
      return expectAllowed(kind, status);
    }
    case 'retry':
      return retry(workspaces, storm);
    case 'retry-failed':
      return expectAllowed(kind, (await ask('POST', `${path}/deliveries/retry-failed`)).status);
    case 'rotate': {
      const { status, data } = await ask<WebhookResourceWithSecret>('POST', `${path}/rotate-secret`);
      if (status === 200) receiver.learnSecret(endpoint.number, data.secret);
      return expectAllowed(kind, status);
    }
    case 'disable':
    case 'enable':
      return expectAllowed(kind, (await ask('PATCH', path, { status: `${kind}d` })).status);
    case 'move':
      return expectAllowed(
        kind,
        (await ask('PATCH', path, { url: receiver.url(endpoint.number, roll(9)) })).status,
      );
    case 'delete': {
      const { status } = await ask('DELETE', path);
      expectAllowed(kind, status);
      if (status !== 204) return;
      workspace.endpoints.splice(workspace.endpoints.indexOf(endpoint), 1, await register(ask, storm));
      return;
    }
    case 'read':
      return expectAllowed(kind, (await ask('GET', `${path}/deliveries?limit=100`)).status);
  }
}

/** Retries a delivery from the same workspace or from another one, where it must not be found. */
async function retry(workspaces: readonly Workspace[], { roll }: Storm): Promise<void> {
  const { ask } = pick(workspaces, roll);
  const { ask: owner, deliveries } = pick(workspaces, roll);
  if (deliveries.length === 0) return;
  const { status } = await ask('POST', `/webhook-deliveries/${pick(deliveries.slice(-LATELY), roll)}/retry`);
  if (ask === owner) expect([202, 409]).toContain(status);
  else expect(status).toBe(404);
}

function expectAllowed(kind: Kind, status: number): void {
  expect(ALLOWED[kind], `${kind} responded with ${status}`).toContain(status);
}

function pick<Element>(list: readonly Element[], roll: Storm['roll']): Element {
  const element = list[roll(list.length)];
  if (element === undefined) throw new Error('There is nothing to choose from.');
  return element;
}

/** Resolves once each delivery has ended or waits for a future time. */
async function untilQuiet({ ask, deliveries }: Workspace): Promise<void> {
  for (const id of deliveries) {
    await until(`${id} has nothing to do`, async () => {
      const reason = (await detailOf(ask, id)).waiting?.reason;
      return reason === undefined || RESTING.includes(reason);
    });
  }
}

async function detailOf(ask: Ask, id: string): Promise<DeliveryDetailResource> {
  return (await ask<DeliveryDetailResource>('GET', `/webhook-deliveries/${id}`)).data;
}

function expectConsistent(detail: DeliveryDetailResource, { requests }: MoodyReceiver): void {
  const { id, status, attempts, attempt_log: log } = detail;
  const arrived = requests.filter(({ deliveryId, isRepeated }) => deliveryId === id && !isRepeated);
  // Each attempt is one request, and each request belongs to an attempt.
  expect(log.map(({ response_status }) => response_status)).toEqual(arrived.map((request) => request.status));
  expect(log.map(({ attempt }) => attempt)).toEqual(log.map((_, index) => index + 1));
  expect(attempts).toBe(log.length);
  const last = log.at(-1);
  if (status === 'success') expect(last).toMatchObject({ error_code: null, response_status: 204 });
  if (status === 'retrying') expect(last).toMatchObject({ error_code: detail.error_code, manual: false });
  if (status === 'failed') expect(detail.error_code).not.toBeNull();
  expect(detail.next_retry_at !== null).toBe(status === 'retrying');
}
