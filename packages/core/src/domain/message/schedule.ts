import { orderOfId, withOrder } from '../id.ts';
import type { Message, MessageError } from './message.ts';

/** How far in the past `send_at` may be, because the clocks of callers differ. Such a message is sent immediately. */
const PAST_MS = 60_000;
/** How far ahead `send_at` may be. */
const AHEAD_MS: number = 30 * 24 * 60 * 60 * 1000;

/**
 * How often a process looks for messages that have become due, however late the next one that it knows of is. An
 * acceptance is signalled only if its message is due before that.
 */
export const SCHEDULE_LOOK_MS = 5_000;

/** The error of a message that was cancelled before it was due. */
export const CANCELLED: MessageError = {
  code: 'cancelled',
  message: 'The message was cancelled before it was due. It was not sent.',
};

/** The complaint about a `send_at`; null if it is acceptable. Times are epoch milliseconds. */
export function wrongSendAt(sendAt: number, now: number): string | null {
  if (sendAt < now - PAST_MS) return 'Must not be more than a minute in the past.';
  if (sendAt > now + AHEAD_MS) return 'Must be at most 30 days ahead.';
  return null;
}

/** When a queued message could be sent at the earliest; epoch milliseconds. */
export function dueSince({
  queuedAt,
  createdAt,
  sendAt,
}: Pick<Message, 'queuedAt' | 'createdAt' | 'sendAt'>): number {
  return Math.max(queuedAt ?? createdAt, sendAt ?? 0);
}

export function isDueSoon({ sendAt, createdAt }: Pick<Message, 'sendAt' | 'createdAt'>): boolean {
  return sendAt !== null && sendAt - createdAt < 2 * SCHEDULE_LOOK_MS;
}

/**
 * Whether a message that is due may be queued: its instance is still linked, or linked again, to the number that it was
 * accepted for.
 */
export function isStillLinked(phoneNumber: string | null, from: string | null): boolean {
  return phoneNumber !== null && phoneNumber === from;
}

const LATEST = 2 ** 32 - 1;

/**
 * The place of a scheduled message among all others: an id that is made of its time and its own id, and sorts by
 * `sendAt`, then by acceptance. Within one `sendAt`, a message that was accepted later has less time left.
 */
export function placeOf({ id, sendAt }: Pick<Message, 'id' | 'sendAt'>): string {
  const ms = sendAt ?? 0;
  const left = Math.max(0, ms - orderOfId('msg', id).ms);
  return withOrder('msg', id, { ms, sequence: Math.max(0, LATEST - left) });
}

/** The `sendAt` of the message with this place. */
export function timeOfPlace(place: string): number {
  return orderOfId('msg', place).ms;
}
