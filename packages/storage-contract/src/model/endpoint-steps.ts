import fc from 'fast-check';
import type { EndpointWrite } from '@trunkline/core/spi/storage';
import { aNotification, anEndpoint } from '../examples.ts';
import { step } from './step.ts';
import type { Step } from './step.ts';

const endpoint = fc.nat({ max: 3 });
const events = fc.subarray(['message.received', 'message.failed', 'instance.connected'] as const, {
  minLength: 1,
});
const rarely = fc.constantFrom(false, false, false, true);

/**
 * Steps that disable an endpoint and enable it again, because only then are cancelled deliveries followed by later
 * ones.
 */
export const reopeningSteps: readonly Step[] = [
  step('disable and enable an endpoint', endpoint, async (scenario, choice) => {
    const current = await scenario.endpoint(choice);
    if (current?.status !== 'enabled') return null;
    const { version } = current;
    const disabled: EndpointWrite = {
      endpoint: { ...current, status: 'disabled' },
      close: 'ENDPOINT_DISABLED',
    };
    return async ({ storage }) => [
      await storage.endpoints.write(disabled),
      await storage.endpoints.write({ endpoint: { ...current, version: version + 1 } }),
    ];
  }),
];

export const endpointSteps: readonly Step[] = [
  step(
    'insert an endpoint',
    fc.record({ workspace: fc.nat({ max: 1 }), events, limit: fc.integer({ min: 1, max: 4 }) }),
    async (scenario, choice) => {
      const inserted = anEndpoint(scenario.workspace(choice.workspace), {
        id: scenario.newId('wh', scenario.now),
        events: choice.events,
        createdAt: scenario.now,
      });
      scenario.endpoints.push(inserted);
      return ({ storage }) => storage.endpoints.insert(inserted, choice.limit);
    },
  ),

  step(
    'disable or enable an endpoint',
    fc.record({ endpoint, events, stale: rarely, notification: rarely }),
    async (scenario, choice) => {
      const current = await scenario.endpoint(choice.endpoint);
      if (!current) return null;
      const enabled = current.status === 'enabled';
      const write: EndpointWrite = {
        endpoint: {
          ...current,
          events: choice.events,
          status: enabled ? 'disabled' : 'enabled',
          disabledAt: enabled ? scenario.now : null,
          disabledReason: enabled ? 'manual' : null,
          version: choice.stale ? current.version - 1 : current.version,
        },
        ...(enabled ? { close: 'ENDPOINT_DISABLED' } : {}),
        ...(choice.notification
          ? {
              notification: aNotification(current, {
                id: scenario.newId('ntc', scenario.now),
                createdAt: scenario.now,
              }),
            }
          : {}),
      };
      return ({ storage }) => storage.endpoints.write(write);
    },
  ),

  step(
    'edit an endpoint',
    fc.record({ endpoint, events, url: fc.nat({ max: 3 }) }),
    async (scenario, choice) => {
      const current = await scenario.endpoint(choice.endpoint);
      if (!current) return null;
      const url = `https://example.com/${choice.url}`;
      return ({ storage }) =>
        storage.endpoints.write({ endpoint: { ...current, url, events: choice.events } });
    },
  ),

  step('warn about an endpoint', fc.record({ endpoint, changed: rarely }), async (scenario, choice) => {
    const current = await scenario.endpoint(choice.endpoint);
    if (!current) return null;
    const { failingSince, warnedAt } = current.health;
    const health = { failingSince: choice.changed ? scenario.now + 1 : failingSince, warnedAt };
    const warned = { ...current, health: { ...current.health, warnedAt: scenario.now } };
    const notification = aNotification(current, {
      id: scenario.newId('ntc', scenario.now),
      createdAt: scenario.now,
    });
    return ({ storage }) => storage.endpoints.write({ endpoint: warned, health, notification });
  }),

  step('delete an endpoint', fc.record({ endpoint, foreign: rarely }), async (scenario, choice) => {
    const chosen = scenario.pick(scenario.endpoints, choice.endpoint);
    if (!chosen) return null;
    const workspaceId = choice.foreign ? scenario.workspace(1).id : chosen.workspaceId;
    return ({ storage }) => storage.endpoints.delete(workspaceId, chosen.id, scenario.now);
  }),

  step(
    'list failing endpoints',
    fc.record({ ago: fc.constantFrom(0, 60_000), after: fc.boolean() }),
    async (scenario, choice) => {
      const after = choice.after ? (scenario.endpoints[0]?.id ?? null) : null;
      return ({ storage }) =>
        storage.endpoints.listFailing({ before: scenario.now - choice.ago, after, limit: 3 });
    },
  ),

  step(
    'claim notifications',
    fc.record({ limit: fc.integer({ min: 1, max: 3 }), complete: fc.boolean() }),
    async (scenario, choice) => {
      const { limit, complete } = choice;
      return async ({ storage }) => {
        const notifications = await storage.endpoints.claimNotifications({
          now: scenario.now,
          leaseMs: 30_000,
          limit,
        });
        if (complete) for (const { id } of notifications) await storage.endpoints.completeNotification(id);
        return notifications;
      };
    },
  ),
];
