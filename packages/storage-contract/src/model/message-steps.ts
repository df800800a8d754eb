import fc from 'fast-check';
import { contentIdOf } from '@trunkline/core/spi/storage';
import type { Acceptance, MessageChange, MessageFilter } from '@trunkline/core/spi/storage';
import { aMessage, anEvent, anIdempotencyRecord, anInboundMessage } from '../examples.ts';
import { pageRequests } from '../paging.ts';
import { step } from './step.ts';
import type { Step } from './step.ts';
import type { Scenario } from './scenario.ts';

const instance = fc.nat({ max: 2 });
const lease = fc.nat({ max: 2 });
const message = fc.nat({ max: 20 });
const status = fc.constantFrom('sent' as const, 'delivered' as const, 'failed' as const);

const FILE = { available: true, mimeType: 'image/png', size: 12, filename: 'a.png', sha256: 'ab' };

const acceptance = fc.record({
  instance,
  file: fc.constantFrom('none', 'none', 'reserved', 'not reserved'),
  key: fc.option(fc.nat({ max: 2 })),
  backlogLimit: fc.constantFrom(3, 5, 1000),
  trialLimit: fc.option(fc.nat({ max: 4 })),
  foreign: fc.constantFrom(false, false, false, true),
  isUpload: fc.boolean(),
  recipient: fc.nat({ max: 2 }),
  wait: fc.option(fc.constantFrom(0, 500, 5_000), { freq: 3 }),
});

export const messageSteps: readonly Step[] = [
  step(
    'accept messages together',
    fc.array(acceptance, { minLength: 1, maxLength: 4 }),
    async (scenario, choices) => {
      const acceptances = choices.flatMap((choice) => plannedAcceptance(scenario, choice) ?? []);
      const reserved = acceptances.filter((one) => one.reserved).map((one) => contentIdOf(one.message));
      return async ({ storage }) => {
        for (const id of reserved) await storage.uploads.reserve(id, scenario.now);
        // Rejects if the content was not reserved.
        const results = await Promise.allSettled(acceptances.map((one) => storage.messages.accept(one)));
        return results.map((result) => (result.status === 'fulfilled' ? result.value : 'rejected'));
      };
    },
  ),

  step('queue what is due', fc.record({ later: fc.constantFrom(0, 500) }), async (scenario, choice) => {
    const { now } = scenario;
    const failure = {
      error: { code: 'unlinked', message: 'The number was unlinked.' },
      now,
      eventsFrom: now * 1000,
    };
    return ({ storage }) => storage.schedule.release(now + choice.later, failure);
  }),

  step('cancel a message', fc.record({ message }), async (scenario, choice) => {
    const chosen = scenario.pick(scenario.messages, choice.message);
    const current = chosen && (await scenario.model.storage.messages.find(chosen.workspaceId, chosen.id));
    if (!current) return null;
    const change: MessageChange = {
      message: { ...current, status: 'failed' },
      expectedStatus: 'queued',
      events: [happening(scenario, current, 'message.failed')],
    };
    return ({ storage }) => storage.schedule.cancel(change);
  }),

  step(
    'look a key up',
    fc.record({ key: fc.nat({ max: 2 }), workspace: fc.nat({ max: 1 }) }),
    async (scenario, choice) => {
      const { id } = scenario.workspace(choice.workspace);
      return ({ storage }) => storage.messages.findIdempotencyRecord(id, `key ${choice.key}`);
    },
  ),

  step(
    'postpone a message',
    fc.record({
      lease,
      message,
      tries: fc.nat({ max: 4 }),
      wait: fc.constantFrom(0, 500, 5_000),
      isHeld: fc.boolean(),
    }),
    async (scenario, choice) => {
      const under = scenario.lease(choice.lease);
      const chosen = scenario.pick(await queueOf(scenario, under?.instanceId), choice.message);
      if (!under || !chosen) return null;
      const place = { messageId: chosen.id, tries: choice.tries, dueAt: scenario.now + choice.wait };
      const postponement = choice.isHeld ? { ...place, heldSince: scenario.now } : place;
      return ({ storage }) => storage.messages.postpone(under, postponement);
    },
  ),

  step(
    'change a message',
    fc.record({ lease, message, from: status, to: status }),
    async (scenario, choice) => {
      const under = scenario.lease(choice.lease);
      const chosen = scenario.pick(scenario.messages, choice.message);
      const current = chosen && (await scenario.model.storage.messages.find(chosen.workspaceId, chosen.id));
      if (!under || !current) return null;
      const change: MessageChange = {
        message: { ...current, status: choice.to },
        expectedStatus: current.status === 'queued' ? 'queued' : choice.from,
        events: [
          happening(scenario, current, 'message.failed'),
          happening(scenario, current, 'message.received'),
        ],
      };
      return ({ storage }) => storage.messages.change(under, change);
    },
  ),

  step(
    'receive a message',
    fc.record({ lease, networkId: fc.nat({ max: 4 }), sender: fc.nat({ max: 1 }) }),
    async (scenario, choice) => {
      const under = scenario.lease(choice.lease);
      const receiver = scenario.instances.find(({ id }) => id === under?.instanceId);
      if (!under || !receiver) return null;
      const received = anInboundMessage(receiver, {
        id: scenario.newId('msg', scenario.now),
        networkId: `network id ${choice.networkId}`,
        createdAt: scenario.now,
      });
      scenario.messages.push(received);
      const event = happening(scenario, receiver, 'message.received');
      const arrival = { message: received, senderId: `sender ${choice.sender}`, event };
      return ({ storage }) => storage.messages.receive(under, arrival);
    },
  ),

  step(
    'list messages',
    fc.record({
      workspace: fc.nat({ max: 1 }),
      instance: fc.option(instance),
      page: pageRequests,
      filter: fc.record(
        {
          direction: fc.constantFrom('inbound' as const, 'outbound' as const),
          type: fc.constantFrom('text' as const, 'image' as const),
          statuses: fc.subarray(['queued', 'sent', 'failed', 'received'] as const, { minLength: 1 }),
        },
        { requiredKeys: [] },
      ),
    }),
    async (scenario, choice) => {
      const { id } = scenario.workspace(choice.workspace);
      const chosen = choice.instance === null ? null : scenario.pick(scenario.instances, choice.instance);
      const filter: MessageFilter = chosen ? { ...choice.filter, instanceId: chosen.id } : choice.filter;
      const page = choice.page(scenario.messages.map((one) => one.id));
      return ({ storage }) => storage.messages.list(id, filter, page);
    },
  ),

  step(
    'list content to delete',
    fc.record({ ago: fc.constantFrom(0, 5_000), release: fc.boolean() }),
    async (scenario, choice) => {
      return async ({ storage }) => {
        const abandoned = await storage.uploads.listAbandoned(scenario.now - choice.ago, 3);
        const orphaned = await storage.uploads.listOrphaned(100);
        if (choice.release) for (const id of [...abandoned, ...orphaned]) await storage.uploads.release(id);
        return { abandoned, orphaned: orphaned.toSorted() };
      };
    },
  ),

  step('release content', fc.record({ message }), async (scenario, choice) => {
    const chosen = scenario.pick(scenario.messages, choice.message);
    return chosen && (({ storage }) => storage.uploads.release(contentIdOf(chosen)));
  }),

  step('find an outbound message', fc.record({ message }), async (scenario, choice) => {
    const chosen = scenario.pick(scenario.messages, choice.message);
    if (!chosen) return null;
    return ({ storage }) => storage.messages.findOutbound(chosen.instanceId, chosen.networkId);
  }),
];

function plannedAcceptance(
  scenario: Scenario,
  choice: typeof acceptance extends fc.Arbitrary<infer Value> ? Value : never,
): (Acceptance & { readonly reserved: boolean }) | null {
  const target = scenario.pick(scenario.instances, choice.instance);
  if (!target) return null;
  const workspaceId = choice.foreign ? scenario.workspace(1).id : target.workspaceId;
  const id = scenario.newId('msg', scenario.now);
  const media = choice.isUpload ? { ...FILE, uploadId: scenario.newId('upl', scenario.now) } : FILE;
  const content = choice.file === 'none' ? {} : ({ type: 'image', media } as const);
  const accepted = aMessage(target, {
    id,
    workspaceId,
    networkId: `of ${id}`,
    createdAt: scenario.now,
    to: `1555010${choice.recipient}`,
    sendAt: choice.wait === null ? null : scenario.now + choice.wait,
    ...content,
  });
  scenario.messages.push(accepted);
  const { key, backlogLimit, trialLimit } = choice;
  const idempotency = key === null ? null : anIdempotencyRecord(accepted, { key: `key ${key}` });
  return {
    message: accepted,
    idempotency,
    backlogLimit,
    trialLimit,
    isScheduled: choice.wait !== null,
    reserved: choice.file === 'reserved',
  };
}

/** The outbound messages of an instance, oldest first. */
async function queueOf(scenario: Scenario, instanceId: string | undefined) {
  return scenario.messages.filter((one) => one.instanceId === instanceId && one.direction === 'outbound');
}

function happening(
  scenario: Scenario,
  { workspaceId }: { readonly workspaceId: string },
  type: 'message.received' | 'message.failed',
) {
  const id = scenario.newId('evt', scenario.now);
  return anEvent({ id: workspaceId }, scenario.now, { id, type, payload: `the bytes of ${id}` });
}
