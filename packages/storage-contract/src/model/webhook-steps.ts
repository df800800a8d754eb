import fc from 'fast-check';
import type { EndpointWrite } from '@trunkline/core/spi/storage';
import { aNotice, anEndpoint } from '../examples.ts';
import { step } from './step.ts';
import type { Step } from './step.ts';

const endpoint = fc.nat({ max: 3 });
const events = fc.subarray(['message.received', 'message.failed', 'instance.connected'] as const, {
  minLength: 1,
});
const rarely = fc.constantFrom(false, false, false, true);

/** What a closing has ended meets what comes after it only where the endpoint is enabled again. */
export const reopeningSteps: readonly Step[] = [
  step('disable and enable an endpoint', endpoint, async (world, choice) => {
    const current = await world.endpoint(choice);
    if (current?.status !== 'enabled') return null;
    const { version } = current;
    const disabled: EndpointWrite = {
      endpoint: { ...current, status: 'disabled' },
      close: 'ENDPOINT_DISABLED',
    };
    return async ({ storage }) => [
      await storage.webhooks.write(disabled),
      await storage.webhooks.write({ endpoint: { ...current, version: version + 1 } }),
    ];
  }),
];

export const webhookSteps: readonly Step[] = [
  step(
    'insert an endpoint',
    fc.record({ workspace: fc.nat({ max: 1 }), events, limit: fc.integer({ min: 1, max: 4 }) }),
    async (world, choice) => {
      const inserted = anEndpoint(world.workspace(choice.workspace), {
        id: world.newId('wh', world.now),
        events: choice.events,
        createdAt: world.now,
      });
      world.endpoints.push(inserted);
      return ({ storage }) => storage.webhooks.insert(inserted, choice.limit);
    },
  ),

  step(
    'disable or enable an endpoint',
    fc.record({ endpoint, events, stale: rarely, notice: rarely }),
    async (world, choice) => {
      const current = await world.endpoint(choice.endpoint);
      if (!current) return null;
      const enabled = current.status === 'enabled';
      const write: EndpointWrite = {
        endpoint: {
          ...current,
          events: choice.events,
          status: enabled ? 'disabled' : 'enabled',
          disabledAt: enabled ? world.now : null,
          disabledReason: enabled ? 'manual' : null,
          version: choice.stale ? current.version - 1 : current.version,
        },
        ...(enabled ? { close: 'ENDPOINT_DISABLED' } : {}),
        ...(choice.notice
          ? { notice: aNotice(current, { id: world.newId('ntc', world.now), createdAt: world.now }) }
          : {}),
      };
      return ({ storage }) => storage.webhooks.write(write);
    },
  ),

  step(
    'edit an endpoint',
    fc.record({ endpoint, events, url: fc.nat({ max: 3 }) }),
    async (world, choice) => {
      const current = await world.endpoint(choice.endpoint);
      if (!current) return null;
      const url = `https://example.com/${choice.url}`;
      return ({ storage }) =>
        storage.webhooks.write({ endpoint: { ...current, url, events: choice.events } });
    },
  ),

  step('warn about an endpoint', fc.record({ endpoint, changed: rarely }), async (world, choice) => {
    const current = await world.endpoint(choice.endpoint);
    if (!current) return null;
    const { failingSince, warnedAt } = current.health;
    const health = { failingSince: choice.changed ? world.now + 1 : failingSince, warnedAt };
    const warned = { ...current, health: { ...current.health, warnedAt: world.now } };
    const notice = aNotice(current, { id: world.newId('ntc', world.now), createdAt: world.now });
    return ({ storage }) => storage.webhooks.write({ endpoint: warned, health, notice });
  }),

  step('delete an endpoint', fc.record({ endpoint, foreign: rarely }), async (world, choice) => {
    const chosen = world.pick(world.endpoints, choice.endpoint);
    if (!chosen) return null;
    const workspaceId = choice.foreign ? world.workspace(1).id : chosen.workspaceId;
    return ({ storage }) => storage.webhooks.delete(workspaceId, chosen.id);
  }),

  step(
    'list failing endpoints',
    fc.record({ ago: fc.constantFrom(0, 60_000), after: fc.boolean() }),
    async (world, choice) => {
      const after = choice.after ? (world.endpoints[0]?.id ?? null) : null;
      return ({ storage }) =>
        storage.webhooks.listFailing({ before: world.now - choice.ago, after, limit: 3 });
    },
  ),

  step(
    'claim notices',
    fc.record({ limit: fc.integer({ min: 1, max: 3 }), complete: fc.boolean() }),
    async (world, choice) => {
      const { limit, complete } = choice;
      return async ({ storage }) => {
        const notices = await storage.webhooks.claimNotices({ now: world.now, leaseMs: 30_000, limit });
        if (complete) for (const { id } of notices) await storage.webhooks.completeNotice(id);
        return notices;
      };
    },
  ),
];
