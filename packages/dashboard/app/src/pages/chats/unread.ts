import type { ChatResource, MessageResource } from '@trunkline/http/client';

/**
 * The number of unread messages in each chat, by the chat's group, contact or number. Unread are received messages that
 * are newer than the last answer and than the last read mark. `recent` are the newest messages of the number, newest
 * first: older ones are not counted.
 */
export function unreadIn(recent: readonly MessageResource[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const closed = new Set<string>();
  for (const message of recent) {
    const chat = chatOf(message);
    if (chat === null || closed.has(chat)) continue;
    if (message.direction === 'outbound' || message.read_at !== null) closed.add(chat);
    else if (message.deleted_at === null) counts.set(chat, (counts.get(chat) ?? 0) + 1);
  }
  return counts;
}

export function unreadOf(
  { group_id, contact, phone_number, last_message }: ChatResource,
  counts: ReadonlyMap<string, number>,
): number {
  // An answer that is newer than the counted messages.
  if (last_message.direction === 'outbound') return 0;
  return counts.get(group_id ?? phone_number ?? contact?.id ?? '') ?? 0;
}

/** Prefers the number, because messages to a number have no contact. */
function chatOf({ direction, to, from, group_id, contact }: MessageResource): string | null {
  const number = direction === 'outbound' ? to : from;
  return group_id ?? contact?.phone_number ?? number ?? contact?.id ?? null;
}
