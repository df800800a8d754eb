import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type {
  ClaimedDelivery,
  Completion,
  Delivery,
  Storage,
  WebhookEndpoint,
} from '@trunkline/core/spi/storage';
import { anEndpoint, anEvent, aWorkspace, NOW } from '@trunkline/storage-contract/examples';
import { exhausted, failed, succeeded } from '@trunkline/storage-contract/scenes';
import { must } from '@trunkline/test-support';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import type { RandomNumber } from '@trunkline/test-support/seeded-test';
import { openStorage, temporarySchema } from './support/open-storage.ts';
import { ReceiverLog } from './support/receiver-log.ts';
import type { TestSchema } from './support/test-schema.ts';

const LIMITS = { slots: 2, startsPerWindow: 8, windowMs: 1_000 };
const LEASE_MS = 3_000;
const ENDPOINTS = 5;
const PROCESSES = 3;
/** Of each that takes part, at least, and requests of all together. More find rarer things: `LANE_STEPS=5000`. */
const STEPS = Number(process.env['LANE_STEPS'] ?? 120);

it('processes that queue, claim, complete, crash, close and retry concurrently break no promise to a receiver', async (context) => {
  const schema = await temporarySchema();
  const errors: string[] = [];
  const scene = await openScene(schema, errors, randomInTest(context));
  const { storages, log, queued } = scene;
  const [first] = storages;

  const takingPart = storages.flatMap((storage, index) => [
    produce(scene, storage),
    dispatch(scene, storage, { crashes: index > 0 }),
    dispatch(scene, storage, { crashes: false }),
  ]);
  await Promise.all([...takingPart, meddle(scene, must(first)), keepUp(scene, must(storages[1]))]);
  await finish(scene, must(first));

  expect(log.breaches).toEqual([]);
  expect(log.overrun()).toEqual([]);
  expect(queued.length).toBeGreaterThan(STEPS);
  const ended = await Promise.all(queued.map((delivery) => read(must(first), delivery)));
  const left = ended.filter(({ status }) => status === 'pending' || status === 'retrying');
  expect(left).toEqual([]);
  const unsent = ended.filter(({ id, status }) => status === 'success' && !log.received.has(id));
  expect(unsent).toEqual([]);
  // Nobody waited for somebody who waited for them.
  expect(errors.filter((code) => code === '40P01')).toEqual([]);
});

interface Scene {
  readonly storages: readonly Storage[];
  readonly endpoints: readonly WebhookEndpoint[];
  readonly log: ReceiverLog;
  readonly queued: Delivery[];
  /** A whole number from 1 to `count`. */
  upTo(count: number): number;
  /** The time, the same for all. It moves as they act. */
  now(): number;
  pass(ms: number): void;
}

async function openScene(schema: TestSchema, errors: string[], random: RandomNumber): Promise<Scene> {
  const storages: Storage[] = [];
  for (let index = 0; index < PROCESSES; index += 1) {
    storages.push(await openStorage(schema, { pool: watchedPool(schema, errors), notifications: false }));
  }
  const workspace = aWorkspace();
  await must(storages[0]).workspaces.insert(workspace);
  const endpoints = Array.from({ length: ENDPOINTS }, () => anEndpoint(workspace));
  for (const endpoint of endpoints) await must(storages[0]).webhooks.insert(endpoint, 100);
  let now = NOW;
  return {
    storages,
    endpoints,
    log: new ReceiverLog(LIMITS),
    queued: [],
    upTo: (count) => 1 + random(count),
    now: () => now,
    pass(ms) {
      now += ms;
    },
  };
}

/** Notes the codes of what the server refuses, also where the storage goes on as if nothing had been. */
function watchedPool({ url }: TestSchema, errors: string[]): Pool {
  const pool = new Pool({ connectionString: url, max: 5 });
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (statement: object) => Promise<unknown>; // as the storage calls it
    Reflect.set(client, 'query', async (statement: object) =>
      query(statement).catch((error: unknown) => {
        errors.push(String(Reflect.get(Object(error), 'code')));
        throw error;
      }),
    );
  });
  onTestFinished(() => pool.end());
  return pool;
}

/** How many requests come of so many steps is left to chance: closing an endpoint ends all that waits for it. */
function goesOn({ log }: Scene, step: number): boolean {
  return step < STEPS || log.requests < STEPS;
}

async function produce(scene: Scene, { deliveries }: Storage): Promise<void> {
  for (let step = 0; goesOn(scene, step); step += 1) {
    const endpoint = pick(scene, scene.endpoints);
    const events = Array.from({ length: scene.upTo(3) }, () =>
      anEvent({ id: endpoint.workspaceId }, scene.now() + scene.upTo(20)),
    );
    const made = await Promise.all(events.map((event) => deliveries.enqueue(endpoint.id, event)));
    scene.queued.push(...made.filter((delivery) => delivery !== null));
    scene.pass(scene.upTo(10));
  }
}

async function dispatch(
  scene: Scene,
  { deliveries }: Storage,
  { crashes }: { readonly crashes: boolean },
): Promise<void> {
  for (let step = 0; goesOn(scene, step); step += 1) {
    const now = scene.now();
    const claim = { ...LIMITS, now, leaseMs: LEASE_MS, limit: scene.upTo(6) };
    const { claimed } = await deliveries.claim(claim);
    for (const one of claimed) scene.log.begin(one, now);
    if (crashes && scene.upTo(8) === 1) {
      // Its requests are gone with it; its claims are not.
      for (const one of claimed) scene.log.end(one);
    } else {
      await Promise.all(claimed.map((one) => complete(scene, deliveries, one)));
    }
    scene.pass(scene.upTo(30));
  }
}

async function complete(
  scene: Scene,
  deliveries: Storage['deliveries'],
  claimed: ClaimedDelivery,
): Promise<void> {
  const now = scene.now();
  const outcome = outcomeOf(scene, claimed, now);
  // Its answer came before it is recorded.
  scene.log.end(claimed);
  const written = await deliveries.complete([outcome], now);
  if (written === 1 && outcome.delivery.status === 'success') scene.log.received.add(claimed.delivery.id);
}

function outcomeOf(scene: Scene, claimed: ClaimedDelivery, now: number): Completion {
  const chance = scene.upTo(10);
  if (chance < 8) return succeeded(claimed, now);
  // What a person asked for is tried once.
  if (chance === 10 || claimed.delivery.manual) return exhausted(claimed, now);
  return failed(claimed, now, { nextRetryAt: now + scene.upTo(500) });
}

/** Closes endpoints and opens them again, and retries by hand. */
async function meddle(scene: Scene, { webhooks, deliveries }: Storage): Promise<void> {
  for (let step = 0; step < STEPS / 4; step += 1) {
    const { workspaceId, id } = pick(scene, scene.endpoints);
    const endpoint = must(await webhooks.find(workspaceId, id));
    await webhooks.write({ endpoint: { ...endpoint, status: 'disabled' }, close: 'ENDPOINT_DISABLED' });
    const disabled = must(await webhooks.find(workspaceId, id));
    await webhooks.write({ endpoint: { ...disabled, status: 'enabled' } });
    await deliveries.retryAll(workspaceId, id, { limit: 5, countUpTo: 5, now: scene.now(), since: 0 });
    const delivery = scene.queued[scene.upTo(scene.queued.length) - 1];
    if (delivery) await deliveries.retry(workspaceId, delivery.id, scene.now(), 0);
  }
}

async function keepUp(scene: Scene, storage: Storage): Promise<void> {
  for (let step = 0; step < STEPS / 2; step += 1) {
    await storage.deliveries.sweepClosed(scene.upTo(20));
    await storage.maintain?.(scene.now());
  }
}

/** All that is left, as time goes on. */
async function finish(scene: Scene, { deliveries }: Storage): Promise<void> {
  for (let pass = 0; pass < 100_000; pass += 1) {
    const now = scene.now();
    const { claimed, nextAt } = await deliveries.claim({ ...LIMITS, now, leaseMs: LEASE_MS, limit: 100 });
    for (const one of claimed) scene.log.begin(one, now);
    await Promise.all(claimed.map((one) => complete(scene, deliveries, one)));
    if (nextAt === null && claimed.length === 0) break;
    scene.pass(Math.max(1, (nextAt ?? now) - now));
  }
  while ((await deliveries.sweepClosed(100)) === 100);
}

async function read({ deliveries }: Storage, { workspaceId, id }: Delivery): Promise<Delivery> {
  return must(await deliveries.findDetail(workspaceId, id, 0)).delivery;
}

function pick<Value>({ upTo }: Scene, values: readonly Value[]): Value {
  return must(values[upTo(values.length) - 1]);
}
