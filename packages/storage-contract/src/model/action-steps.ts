import fc from 'fast-check';
import { actionEntryId } from '@trunkline/core/spi/storage';
import { anAction, anEvent } from '../examples.ts';
import { pageRequests } from '../paging.ts';
import { step } from './step.ts';
import type { Step } from './step.ts';

const lease = fc.nat({ max: 2 });
const message = fc.nat({ max: 20 });
const action = fc.nat({ max: 10 });
const key = fc.option(fc.nat({ max: 2 }));

export const actionSteps: readonly Step[] = [
  step(
    'act on a message',
    fc.record({
      message,
      key,
      backlogLimit: fc.constantFrom(3, 1000),
      recipient: fc.nat({ max: 2 }),
      edits: fc.boolean(),
    }),
    async (scenario, choice) => {
      const about = scenario.pick(scenario.messages, choice.message);
      if (!about) return null;
      const id = scenario.newId('act', scenario.now);
      const given = { id, recipient: `1555010${choice.recipient}`, createdAt: scenario.now };
      const edit = choice.edits ? ({ kind: 'edit', emoji: null, text: `edited by ${id}` } as const) : {};
      const accepted = anAction(about, { ...given, ...edit });
      scenario.actions.push(accepted);
      const inPlace = choice.edits
        ? {
            change: { message: { ...about, text: accepted.text }, expected: about },
            action: { ...accepted, status: 'sent', sentAt: scenario.now } as const,
          }
        : null;
      const idempotency =
        choice.key === null ? null : { key: `key ${choice.key}`, fingerprint: `of ${about.id}` };
      const { backlogLimit } = choice;
      return ({ storage }) =>
        storage.actions.accept({ action: accepted, idempotency, backlogLimit, inPlace });
    },
  ),

  step('finish an action', fc.record({ lease, action, fails: fc.boolean() }), async (scenario, choice) => {
    const under = scenario.lease(choice.lease);
    const chosen = scenario.pick(scenario.actions, choice.action);
    if (!under || !chosen) return null;
    const error = choice.fails ? { code: 'refused', message: 'The network refused it.' } : null;
    const at = choice.fails ? { failedAt: scenario.now } : { sentAt: scenario.now };
    const id = scenario.newId('evt', scenario.now);
    const events = [
      anEvent({ id: chosen.workspaceId }, scenario.now, { id, type: 'message.failed', payload: id }),
    ];
    const finished = { ...chosen, status: choice.fails ? 'failed' : 'sent', error, ...at } as const;
    const about = scenario.messages.find((one) => one.id === chosen.messageId);
    const edited = about && { ...about, text: chosen.text, editedAt: scenario.now };
    const change = edited && chosen.kind === 'edit' && !choice.fails && { message: edited, expected: about };
    const marked = choice.fails ? [] : scenario.messages.slice(0, 3).map(({ id: one }) => one);
    return ({ storage }) =>
      storage.actions.finish(under, { action: finished, events, marked, ...(change && { change }) });
  }),

  step(
    'postpone an action',
    fc.record({ lease, action, wait: fc.constantFrom(0, 5_000), isHeld: fc.boolean() }),
    async (scenario, choice) => {
      const under = scenario.lease(choice.lease);
      const own = scenario.actions.filter((one) => one.instanceId === under?.instanceId);
      const chosen = scenario.pick(own, choice.action);
      if (!under || !chosen) return null;
      const messageId = actionEntryId(chosen.id);
      const place = { messageId, tries: 1, dueAt: scenario.now + choice.wait };
      const postponement = choice.isHeld ? { ...place, heldSince: scenario.now } : place;
      return ({ storage }) => storage.messages.postpone(under, postponement);
    },
  ),

  step('list actions', fc.record({ message, page: pageRequests, key }), async (scenario, choice) => {
    const about = scenario.pick(scenario.messages, choice.message);
    if (!about) return null;
    const { workspaceId, id } = about;
    const page = choice.page(scenario.actions.map((one) => one.id));
    return async ({ storage }) => ({
      listed: await storage.actions.list(workspaceId, id, page),
      all: await storage.actions.listOnMessages(
        workspaceId,
        scenario.messages.map((one) => one.id),
      ),
      remembered: await storage.actions.findByKey(workspaceId, `key ${choice.key ?? 0}`),
    });
  }),
];
