import { createLoop } from '../runtime/loop.ts';
import type { Worker } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { messagesStillToCome } from '../services/people/person-records.ts';
import { partsOf } from '../services/people/walks.ts';
import { workspacesWithRetention } from './message-retention.ts';

const EVERY_MS = 24 * 60 * 60_000;
/** The pause between steps: finding unneeded contacts reads all messages, and must not delay other work. */
const PAUSE_MS = 1_000;
/** Contacts per transaction. */
const CONTACTS = 100;

/**
 * Once a day, deletes contacts without messages in workspaces that do not keep messages forever. A contact younger
 * than the retention of messages stays, because its first message may not be stored yet.
 */
export function createContactRetention(context: ServiceContext): Worker {
  const { clock, logger } = context;
  let round: AsyncGenerator<void> | null = null;
  return createLoop({
    name: 'contact retention',
    clock,
    logger,
    everyMs: EVERY_MS,
    async pass() {
      round ??= roundOf(context);
      const current = round;
      // A round that fails has ended, so the next pass begins a new one.
      round = null;
      const { done } = await current.next();
      if (done === true) return { more: false, nextAt: null };
      round = current;
      return { more: false, nextAt: clock.now() + PAUSE_MS };
    },
  });
}

async function* roundOf(context: ServiceContext): AsyncGenerator<void> {
  const { erasure } = context.storage;
  for await (const { workspaceId, before } of workspacesWithRetention(context)) {
    // Keep contacts that get a message from now on.
    const unlessAfter = messagesStillToCome(context);
    const unused = new Map<string, readonly string[]>();
    for await (const { rows } of partsOf((walk) => erasure.listContacts(workspaceId, walk))) {
      // Include dialled numbers, because a message to such a number may not name the contact.
      for (const { id, formerIds, dialledNumbers, createdAt } of rows)
        if (createdAt < before) unused.set(id, [id, ...formerIds, ...dialledNumbers]);
      yield;
    }
    if (unused.size === 0) continue;
    const used = new Set<string>();
    for await (const { rows } of partsOf((walk) => erasure.listMessages(workspaceId, walk))) {
      for (const { message } of rows) {
        if (message.contact) used.add(message.contact.id);
        if (message.to !== null) used.add(message.to);
      }
      yield;
    }
    const ids = [...unused].flatMap(([id, all]) => (all.some((one) => used.has(one)) ? [] : [id]));
    for (let first = 0; first < ids.length; first += CONTACTS) {
      const deletion = { ids: ids.slice(first, first + CONTACTS), unlessAfter };
      await erasure.deleteContacts(workspaceId, deletion);
      yield;
    }
  }
}
