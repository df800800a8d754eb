import fc from 'fast-check';
import type { ClaimedDelivery, Completion, Delivery, DeliveryClaimResult } from '@trunkline/core/spi/storage';
import { anEvent, DAY } from '../examples.ts';
import { pageRequests } from '../paging.ts';
import { claimAt, exhausted, failed, succeeded } from '../fixtures.ts';
import { step } from './step.ts';
import type { Step } from './step.ts';
import type { Scenario, Side } from './scenario.ts';

const endpoint = fc.nat({ max: 2 });
const delivery = fc.nat({ max: 20 });
const rarely = fc.constantFrom(false, false, false, true);
const outcome = fc.constantFrom('success', 'retrying', 'exhausted', 'failed', 'immediately');

const outcomes = fc.array(fc.record({ claim: fc.nat({ max: 5 }), outcome }), { minLength: 1, maxLength: 3 });

export const waitSteps: readonly Step[] = [
  step('wait', fc.constantFrom(1, 500, 5_000, 30_000, 60_000), async (scenario, ms) => {
    scenario.now += ms;
    return null;
  }),
];

/** Steps in the life of deliveries. Little happens to a delivery without many of these steps in a row. */
export const claimSteps: readonly Step[] = [
  step(
    'enqueue for one endpoint',
    fc.record({ endpoint, count: fc.integer({ min: 1, max: 4 }), ago: fc.nat({ max: 20 }), foreign: rarely }),
    async (scenario, choice) => {
      const chosen = scenario.pick(scenario.endpoints, choice.endpoint);
      if (!chosen) return null;
      const workspaceId = choice.foreign ? scenario.workspace(1).id : chosen.workspaceId;
      const events = Array.from({ length: choice.count }, () => {
        const id = scenario.newId('evt', scenario.now);
        const changes = { id, type: 'webhook.test', payload: `the bytes of ${id}` } as const;
        return anEvent({ id: workspaceId }, scenario.now - choice.ago, changes);
      });
      return async ({ storage }) => {
        const deliveries: (Delivery | null)[] = [];
        for (const event of events) deliveries.push(await storage.deliveries.enqueue(chosen.id, event));
        return deliveries;
      };
    },
  ),

  step(
    'claim',
    fc.record({ leaseMs: fc.constantFrom(5_000, 20_000) }),
    async (scenario, { leaseMs }) =>
      async (side) => {
        // The limit is high enough for all deliveries that are due, because storages may serve lanes in different
        // orders.
        const claim = claimAt(scenario.now, { leaseMs, startsPerWindow: 3 });
        return note(side, await side.storage.deliveries.claim(claim));
      },
  ),

  step(
    'complete',
    outcomes,
    async (scenario, choices) => async (side) =>
      side.storage.deliveries.complete(completionsOf(scenario, side, choices), scenario.now),
  ),

  step(
    'complete and claim',
    fc.record({ choices: outcomes, leaseMs: fc.constantFrom(5_000, 20_000) }),
    async (scenario, { choices, leaseMs }) =>
      async (side) => {
        const completions = completionsOf(scenario, side, choices);
        const claim = claimAt(scenario.now, { leaseMs, startsPerWindow: 3 });
        const { deliveries } = side.storage;
        const { completed, ...result } = await deliveries.completeAndClaim(completions, claim);
        const busy = completions.filter((_, index) => completed[index] === 'busy');
        const written =
          completed.filter((one) => one === 'written').length +
          (await deliveries.complete(busy, scenario.now));
        return [written, note(side, result)];
      },
  ),
];

export const deliverySteps: readonly Step[] = [
  step('wait for long', fc.constantFrom(3_600_000, 24 * 3_600_000), async (scenario, ms) => {
    scenario.now += ms;
    return null;
  }),

  step(
    'retry',
    fc.record({
      delivery,
      attempt: fc.constantFrom('extra', 'next'),
      any: rarely,
      foreign: rarely,
      young: rarely,
    }),
    async (scenario, choice) => {
      const { attempt } = choice;
      const deliveries = await deliveriesOf(scenario);
      const allowed = { extra: ['failed', 'exhausted'], next: ['retrying'] }[attempt];
      const likely = deliveries.filter(({ status }) => allowed.includes(status));
      const chosen = scenario.pick(choice.any ? deliveries : likely, choice.delivery);
      if (!chosen) return null;
      const workspaceId = choice.foreign ? scenario.workspace(1).id : chosen.workspaceId;
      const since = choice.young ? scenario.now - 60_000 : 0;
      return ({ storage }) => storage.deliveries.retry(workspaceId, chosen.id, scenario.now, since, attempt);
    },
  ),

  step(
    'retry all',
    fc.record({ endpoint, limit: fc.nat({ max: 3 }), countUpTo: fc.nat({ max: 3 }), young: rarely }),
    async (scenario, choice) => {
      const chosen = scenario.pick(scenario.endpoints, choice.endpoint);
      if (!chosen) return null;
      const { limit, countUpTo } = choice;
      const batch = { limit, countUpTo, now: scenario.now, since: choice.young ? scenario.now - 60_000 : 0 };
      return ({ storage }) => storage.deliveries.retryFailedDeliveries(chosen.workspaceId, chosen.id, batch);
    },
  ),

  step(
    'sweep',
    fc.integer({ min: 1, max: 4 }),
    async (_, limit) =>
      ({ storage }) =>
        storage.deliveries.sweepClosed(limit),
  ),

  step('read attempts', fc.constant(null), async (scenario) => {
    const deliveries = await deliveriesOf(scenario);
    return ({ storage }) =>
      Promise.all(deliveries.map(({ workspaceId, id }) => storage.deliveries.findDetail(workspaceId, id, 0)));
  }),

  step(
    'list deliveries',
    fc.record({
      endpoint,
      page: pageRequests,
      young: fc.boolean(),
      filter: fc.record(
        {
          status: fc.constantFrom('pending', 'retrying', 'success', 'failed', 'exhausted'),
          eventType: fc.constantFrom('webhook.test', 'message.received'),
        },
        { requiredKeys: [] },
      ),
    }),
    async (scenario, choice) => {
      const chosen = scenario.pick(scenario.endpoints, choice.endpoint);
      if (!chosen) return null;
      const page = choice.page((await deliveriesOf(scenario)).map(({ id }) => id));
      const since = choice.young ? scenario.now - 60_000 : 0;
      return ({ storage }) =>
        storage.deliveries.list(chosen.workspaceId, chosen.id, choice.filter, page, since);
    },
  ),

  step(
    'delete history',
    fc.record({ days: fc.nat({ max: 2 }), limit: fc.integer({ min: 1, max: 6 }) }),
    async (scenario, { days, limit }) => {
      // Midnight, because a storage may keep or delete older rows of a day that is not over at `before`.
      const before = scenario.now - (scenario.now % DAY) - days * DAY;
      return async ({ storage }) => {
        await storage.maintain?.(scenario.now);
        while ((await storage.retention.deleteHistory(before, limit)) >= limit);
      };
    },
  ),

  step(
    'delete idempotency records',
    fc.record({ ago: fc.constantFrom(0, 3_600_000) }),
    async (scenario, { ago }) =>
      ({ storage }) =>
        storage.retention.deleteIdempotencyRecords(scenario.now - ago, 100),
  ),
];

interface Choice {
  readonly claim: number;
  readonly outcome: string;
}

/** Outcomes of recent claims of this side, some of which may be lost. */
function completionsOf(scenario: Scenario, side: Side, choices: readonly Choice[]): readonly Completion[] {
  return choices.flatMap((choice) => {
    const claimed = scenario.pick(side.claims.toReversed(), choice.claim);
    return claimed ? [outcomeOf(claimed, choice.outcome, scenario.now)] : [];
  });
}

/** Notes claims, and returns them as both sides must have made them. */
function note(side: Side, { claimed, nextAt }: DeliveryClaimResult): readonly unknown[] {
  const ordered = claimed.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1));
  side.claims.push(...ordered);
  side.nextAt = nextAt;
  return ordered.map((one) => ({ ...one, token: null }));
}

function outcomeOf(claimed: ClaimedDelivery, kind: string, at: number): Completion {
  switch (kind) {
    case 'success':
      return succeeded(claimed, at);
    case 'exhausted':
      return exhausted(claimed, at);
    case 'failed':
      return failed(claimed, at, { status: 'failed', nextRetryAt: null });
    case 'immediately':
      return failed(claimed, at, { status: 'pending', nextRetryAt: null });
    default:
      return failed(claimed, at, { nextRetryAt: at + 30_000 });
  }
}

async function deliveriesOf({ model, endpoints }: Scenario): Promise<readonly Delivery[]> {
  const pages = endpoints.map(({ workspaceId, id }) =>
    model.storage.deliveries.list(workspaceId, id, {}, { from: null, limit: 200 }, 0),
  );
  const rows = (await Promise.all(pages)).flatMap((page) => page.rows);
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
