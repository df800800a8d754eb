import fc from 'fast-check';
import { anActivity, anEvent } from '../examples.ts';
import { step } from './step.ts';
import type { Step } from './step.ts';
import type { Scenario } from './scenario.ts';

const lease = fc.nat({ max: 2 });
const key = fc.option(fc.constantFrom('a', 'b', 'c'));

export const activitySteps: readonly Step[] = [
  step('record an activity', fc.record({ lease, key }), async (scenario, choice) => {
    const under = scenario.lease(choice.lease);
    const instance = scenario.instances.find(({ id }) => id === under?.instanceId);
    if (!under || !instance) return null;
    const event = happening(scenario, instance.workspaceId);
    const activity = anActivity(event, { key: choice.key, recordedAt: scenario.now });
    return ({ storage }) => storage.activities.record(under, activity);
  }),

  step(
    'edit or delete a message',
    fc.record({ lease, key, message: fc.nat({ max: 20 }), isDeleted: fc.boolean(), isStale: fc.boolean() }),
    async (scenario, choice) => {
      const under = scenario.lease(choice.lease);
      const chosen = scenario.pick(scenario.messages, choice.message);
      const current = chosen && (await scenario.model.storage.messages.find(chosen.workspaceId, chosen.id));
      if (!under || !current) return null;
      const media = current.media && { ...current.media, available: false };
      const message = choice.isDeleted
        ? { ...current, text: null, media, deletedAt: scenario.now }
        : { ...current, text: `edited at ${scenario.now}`, editedAt: scenario.now };
      const expected = choice.isStale ? { editedAt: 1, deletedAt: null } : current;
      const activity = anActivity(happening(scenario, current.workspaceId), {
        key: choice.key,
        recordedAt: scenario.now,
        change: { message, expected },
      });
      return ({ storage }) => storage.activities.record(under, activity);
    },
  ),

  step(
    'forget activities',
    fc.record({ ago: fc.constantFrom(0, 5_000), limit: fc.integer({ min: 1, max: 3 }) }),
    async (scenario, { ago, limit }) => {
      const before = scenario.now - ago;
      // Deletes all batches, because storages may divide the rows of one millisecond differently.
      return async ({ storage }) => {
        while ((await storage.activities.deleteKeys(before, limit)) >= limit);
      };
    },
  ),
];

function happening(scenario: Scenario, workspaceId: string) {
  const id = scenario.newId('evt', scenario.now);
  return anEvent({ id: workspaceId }, scenario.now, { id, payload: `the bytes of ${id}` });
}
