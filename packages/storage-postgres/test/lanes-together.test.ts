import { expect, it } from 'vitest';
import type {
  ClaimedDelivery,
  Completion,
  CompletionResult,
  Delivery,
  DeliveryClaim,
  Endpoint,
  Storage,
} from '@trunkline/core/spi/storage';
import { anEndpoint, anEvent, aWorkspace, NOW } from '@trunkline/storage-contract/examples';
import { exhausted, failed, succeeded } from '@trunkline/storage-contract/fixtures';
import { must } from '@trunkline/test-support';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import type { RandomNumber } from '@trunkline/test-support/seeded-test';
import { openStorage, temporarySchema } from './support/open-storage.ts';
import { ReceiverLog } from './support/receiver-log.ts';
import type { TestSchema } from './support/test-schema.ts';
import { watchedPool } from './support/watched-pool.ts';

const LIMITS = { slots: 2, startsPerWindow: 8, windowMs: 1_000 };
const LEASE_MS = 3_000;
const ENDPOINTS = 5;
const PROCESSES = 3;
/**
 * The minimum number of steps of each process, and of requests of all processes together. More steps find rarer faults:
 * `LANE_STEPS=5000`.
 */
const STEPS = Number(process.env['LANE_STEPS'] ?? 120);

it('processes that queue, claim, complete, crash, close and retry concurrently break no promise to a receiver', async (context) => {
  const schema = await temporarySchema();
  const errors: string[] = [];
  const fixture = await openFixture(schema, errors, randomInTest(context));
  const { storages, log, queued } = fixture;
  const [first] = storages;

  const takingPart = storages.flatMap((storage, index) => [
    produce(fixture, storage),
    dispatch(fixture, storage, { crashes: index > 0 }),
    dispatch(fixture, storage, { crashes: false }),
  ]);
  await Promise.all([...takingPart, meddle(fixture, must(first)), keepUp(fixture, must(storages[1]))]);
  await finish(fixture, must(first));

  expect(log.breaches).toEqual([]);
  expect(log.overrun()).toEqual([]);
  expect(queued.length).toBeGreaterThan(STEPS);
  expect(fixture.results).toContain('written');
  const ended = await Promise.all(queued.map((delivery) => read(must(first), delivery)));
  const left = ended.filter(({ status }) => status === 'pending' || status === 'retrying');
  expect(left).toEqual([]);
  const unsent = ended.filter(({ id, status }) => status === 'success' && !log.received.has(id));
  expect(unsent).toEqual([]);
  // 40P01 is a deadlock.
  expect(errors.filter((code) => code === '40P01')).toEqual([]);
});

interface Fixture {
  readonly storages: readonly Storage[];
  readonly endpoints: readonly Endpoint[];
  readonly log: ReceiverLog;
  readonly queued: Delivery[];
  /** The results of all completions that came with a claim. */
  readonly results: Set<CompletionResult>;
  upTo(count: number): number;
  /** The time, shared by all processes, which advance it as they act. */
  now(): number;
  pass(ms: number): void;
}

async function openFixture(schema: TestSchema, errors: string[], random: RandomNumber): Promise<Fixture> {
  const storages: Storage[] = [];
  for (let index = 0; index < PROCESSES; index += 1) {
    storages.push(await openStorage(schema, { pool: watchedPool(schema, errors), notifications: false }));
  }
  const workspace = aWorkspace();
  await must(storages[0]).workspaces.insert(workspace);
  const endpoints = Array.from({ length: ENDPOINTS }, () => anEndpoint(workspace));
  for (const endpoint of endpoints) await must(storages[0]).endpoints.insert(endpoint, 100);
  let now = NOW;
  return {
    storages,
    endpoints,
    log: new ReceiverLog(LIMITS),
    queued: [],
    results: new Set(),
    upTo: (count) => 1 + random(count),
    now: () => now,
    pass(ms) {
      now += ms;
    },
  };
}

/**
 * Counts requests too, because the steps may lead to few of them: a cancellation ends all deliveries that wait for its
 * endpoint.
 */
function goesOn({ log }: Fixture, step: number): boolean {
  return step < STEPS || log.requests < STEPS;
}

async function produce(fixture: Fixture, { deliveries }: Storage): Promise<void> {
  for (let step = 0; goesOn(fixture, step); step += 1) {
    const endpoint = pick(fixture, fixture.endpoints);
    const events = Array.from({ length: fixture.upTo(3) }, () =>
      anEvent({ id: endpoint.workspaceId }, fixture.now() + fixture.upTo(20)),
    );
    const made = await Promise.all(events.map((event) => deliveries.enqueue(endpoint.id, event)));
    fixture.queued.push(...made.filter((delivery) => delivery !== null));
    fixture.pass(fixture.upTo(10));
  }
}

async function dispatch(
  fixture: Fixture,
  { deliveries }: Storage,
  { crashes }: { readonly crashes: boolean },
): Promise<void> {
  let held: readonly ClaimedDelivery[] = [];
  for (let step = 0; goesOn(fixture, step); step += 1) {
    const now = fixture.now();
    const claim = { ...LIMITS, now, leaseMs: LEASE_MS, limit: fixture.upTo(6) };
    const claimed =
      fixture.upTo(2) === 1
        ? await completeAndClaim(fixture, deliveries, held, claim)
        : await completeThenClaim(fixture, deliveries, held, claim);
    for (const one of claimed) fixture.log.begin(one, now);
    const hasCrashed = crashes && fixture.upTo(8) === 1;
    // A crash ends the requests of the process, but not its claims.
    if (hasCrashed) for (const one of claimed) fixture.log.end(one);
    held = hasCrashed ? [] : claimed;
    fixture.pass(fixture.upTo(30));
  }
  await Promise.all(held.map((one) => complete(fixture, deliveries, one)));
}

async function completeThenClaim(
  fixture: Fixture,
  deliveries: Storage['deliveries'],
  held: readonly ClaimedDelivery[],
  claim: DeliveryClaim,
): Promise<readonly ClaimedDelivery[]> {
  await Promise.all(held.map((one) => complete(fixture, deliveries, one)));
  return (await deliveries.claim(claim)).claimed;
}

async function completeAndClaim(
  fixture: Fixture,
  deliveries: Storage['deliveries'],
  held: readonly ClaimedDelivery[],
  claim: DeliveryClaim,
): Promise<readonly ClaimedDelivery[]> {
  const outcomes = held.map((one) => outcomeOf(fixture, one, claim.now));
  for (const one of held) fixture.log.end(one);
  const { completed, claimed } = await deliveries.completeAndClaim(outcomes, claim);
  for (const [index, outcome] of outcomes.entries()) {
    const result = must(completed[index]);
    fixture.results.add(result);
    const isWritten =
      result === 'busy' ? (await deliveries.complete([outcome], claim.now)) > 0 : result === 'written';
    if (isWritten) received(fixture, outcome);
  }
  return claimed;
}

async function complete(
  fixture: Fixture,
  deliveries: Storage['deliveries'],
  claimed: ClaimedDelivery,
): Promise<void> {
  const now = fixture.now();
  const outcome = outcomeOf(fixture, claimed, now);
  // The response comes before the outcome is recorded.
  fixture.log.end(claimed);
  if ((await deliveries.complete([outcome], now)) === 1) received(fixture, outcome);
}

function received({ log }: Fixture, { delivery }: Completion): void {
  if (delivery.status === 'success') log.received.add(delivery.id);
}

function outcomeOf(fixture: Fixture, claimed: ClaimedDelivery, now: number): Completion {
  const chance = fixture.upTo(10);
  if (chance < 8) return succeeded(claimed, now);
  // A manual retry has one attempt.
  if (chance === 10 || claimed.delivery.manual) return exhausted(claimed, now);
  return failed(claimed, now, { nextRetryAt: now + fixture.upTo(500) });
}

async function meddle(fixture: Fixture, { endpoints, deliveries }: Storage): Promise<void> {
  for (let step = 0; step < STEPS / 4; step += 1) {
    const { workspaceId, id } = pick(fixture, fixture.endpoints);
    const endpoint = must(await endpoints.find(workspaceId, id));
    await endpoints.write({ endpoint: { ...endpoint, status: 'disabled' }, close: 'ENDPOINT_DISABLED' });
    const disabled = must(await endpoints.find(workspaceId, id));
    await endpoints.write({ endpoint: { ...disabled, status: 'enabled' } });
    await deliveries.retryFailedDeliveries(workspaceId, id, {
      limit: 5,
      countUpTo: 5,
      now: fixture.now(),
      since: 0,
    });
    const delivery = fixture.queued[fixture.upTo(fixture.queued.length) - 1];
    if (delivery) await deliveries.retry(workspaceId, delivery.id, fixture.now(), 0);
  }
}

async function keepUp(fixture: Fixture, storage: Storage): Promise<void> {
  for (let step = 0; step < STEPS / 2; step += 1) {
    await storage.deliveries.sweepClosed(fixture.upTo(20));
    await storage.maintain?.(fixture.now());
  }
}

async function finish(fixture: Fixture, { deliveries }: Storage): Promise<void> {
  for (let pass = 0; pass < 100_000; pass += 1) {
    const now = fixture.now();
    const { claimed, nextAt } = await deliveries.claim({ ...LIMITS, now, leaseMs: LEASE_MS, limit: 100 });
    for (const one of claimed) fixture.log.begin(one, now);
    await Promise.all(claimed.map((one) => complete(fixture, deliveries, one)));
    if (nextAt === null && claimed.length === 0) break;
    fixture.pass(Math.max(1, (nextAt ?? now) - now));
  }
  while ((await deliveries.sweepClosed(100)) === 100);
}

async function read({ deliveries }: Storage, { workspaceId, id }: Delivery): Promise<Delivery> {
  return must(await deliveries.findDetail(workspaceId, id, 0)).delivery;
}

function pick<Value>({ upTo }: Fixture, values: readonly Value[]): Value {
  return must(values[upTo(values.length) - 1]);
}
