import { recipientOf } from '../../domain/message/message.ts';
import { latestHold, latestResend } from '../../domain/too-far-ahead.ts';
import type { QueuedMessage } from '../../ports/storage/message-store.ts';
import { readMessage } from './message-rows.ts';
import type { InstanceRecord, State } from './state.ts';

/** The next messages of an instance to send: see `MessageStore.queueHeads`. */
export function nextInQueue(state: State, record: InstanceRecord, now: number): readonly QueuedMessage[] {
  const next = [firstFree(state, record, now), longestDue(record, now)];
  return next.flatMap((id) => {
    const [message, place] = [state.messages.get(id ?? ''), record.queue.get(id ?? '')];
    if (!message || !place) return [];
    const { tries, heldSince } = place;
    return [{ message: readMessage(state, message), tries, ...(heldSince !== undefined && { heldSince }) }];
  });
}

/** The first message to a recipient without held messages, if it is due. */
function firstFree(state: State, { queue, held }: InstanceRecord, now: number): string | null {
  const recipient = (id: string): string | null => {
    const message = state.messages.get(id);
    return message ? recipientOf(message) : null;
  };
  const waitedFor = new Set([...held].map(recipient));
  for (const [id, { dueAt }] of queue) {
    if (waitedFor.size > 0 && waitedFor.has(recipient(id))) continue;
    return dueAt <= now || dueAt > latestResend(now) ? id : null;
  }
  return null;
}

function longestDue({ queue, held }: InstanceRecord, now: number): string | null {
  let found: { readonly id: string; readonly dueAt: number } | null = null;
  if (held.size === 0) return null;
  for (const [id, { dueAt }] of queue) {
    const isDue = held.has(id) && (dueAt <= now || dueAt > latestHold(now));
    if (isDue && (found === null || dueAt < found.dueAt)) found = { id, dueAt };
  }
  return found?.id ?? null;
}
