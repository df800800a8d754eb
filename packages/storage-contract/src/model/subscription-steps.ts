import fc from 'fast-check';
import type { ClaimedEvent, EventCompletion, EventSubscription } from '@trunkline/core/spi/storage';
import { aSubscription, DAY, NOW } from '../examples.ts';
import { eventClaimAt, completed } from '../fixtures.ts';
import { step } from './step.ts';
import type { Step } from './step.ts';
import type { Scenario } from './scenario.ts';

const name = fc.constantFrom('orders', 'orders', 'audit');
const eventTypes = fc.subarray(['message.received', 'message.failed', 'instance.connected'] as const, {
  minLength: 1,
});

/** Earlier than anything that a scenario stores. So `deleteHistory` deletes only the events of deleted subscriptions. */
const LONG_AGO = NOW - 1_000 * DAY;

export const subscriptionSteps: readonly Step[] = [
  step('register a subscription', fc.record({ name, eventTypes }), async (scenario, choice) => {
    const id = scenario.newId('sub', scenario.now);
    const subscription = aSubscription({ ...choice, id, createdAt: scenario.now });
    return ({ storage }) => storage.subscriptions.register(subscription);
  }),

  step(
    'claim events',
    fc.record({
      name,
      eventTypes,
      limit: fc.integer({ min: 1, max: 5 }),
      leaseMs: fc.constantFrom(500, 20_000),
    }),
    async (scenario, { name: wanted, ...claim }) => {
      const subscription = await subscriptionOf(scenario, wanted);
      if (!subscription) return null;
      return async (side) => {
        const result = await side.storage.subscriptions.claim(
          eventClaimAt(subscription, scenario.now, claim),
        );
        side.eventClaims.push(...(result?.claimed ?? []));
        return result && { ...result, claimed: result.claimed.map((one) => ({ ...one, token: null })) };
      };
    },
  ),

  step(
    'complete events',
    fc.array(
      fc.record({
        claim: fc.nat({ max: 5 }),
        outcome: fc.constantFrom('handled', 'queued', 'exhausted', 'renewed'),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    async (scenario, choices) => async (side) => {
      const results: (number | null)[] = [];
      for (const { claim, outcome } of choices) {
        const claimed = scenario.pick(side.eventClaims.toReversed(), claim);
        if (!claimed) continue;
        if (outcome === 'renewed') {
          await side.storage.subscriptions.renew([completed(claimed)], scenario.now + 20_000);
        } else {
          const completion = completionOf(claimed, outcome, scenario.now);
          results.push(await side.storage.subscriptions.complete([completion]));
        }
      }
      return results;
    },
  ),

  step(
    'retry exhausted events',
    fc.record({ name, limit: fc.nat({ max: 2 }), countUpTo: fc.nat({ max: 2 }) }),
    async (scenario, { name: wanted, ...batch }) =>
      ({ storage }) =>
        storage.subscriptions.retryFailedEvents(wanted, { ...batch, now: scenario.now }),
  ),

  step('delete a subscription', fc.record({ name, sweep: fc.boolean() }), async (_, choice) => {
    return async ({ storage }) => [
      await storage.subscriptions.delete(choice.name),
      choice.sweep ? await storage.retention.deleteHistory(LONG_AGO, 1000) : null,
    ];
  }),
];

function completionOf(claimed: ClaimedEvent, kind: string, now: number): EventCompletion {
  const attempts = claimed.attempts + 1;
  if (kind === 'handled') return completed(claimed);
  if (kind === 'exhausted') return completed(claimed, { kind, attempts, failedAt: now });
  return completed(claimed, { kind: 'queued', attempts, dueAt: now + 5_000 });
}

async function subscriptionOf({ model }: Scenario, wanted: string): Promise<EventSubscription | null> {
  const subscriptions = await model.storage.subscriptions.list(0);
  return subscriptions.find(({ subscription }) => subscription.name === wanted)?.subscription ?? null;
}
