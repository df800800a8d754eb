import type { MessageResource } from '@trunkline/http/client';
import type { Tone } from '../components/status-badge.tsx';
import { nameText } from './name-text.ts';
import { phoneText } from './phone-text.ts';

export type MessageStatus = MessageResource['status'];

/** The statuses, in the order of a message's life. */
export const MESSAGE_STATUSES: readonly MessageStatus[] = [
  'queued',
  'sent',
  'delivered',
  'read',
  'failed',
  'received',
];
export const MESSAGE_TYPES: readonly MessageResource['type'][] = [
  'text',
  'image',
  'document',
  'audio',
  'video',
];

export const MESSAGE_TONES: Readonly<Record<MessageStatus, Tone>> = {
  queued: 'busy',
  sent: 'busy',
  delivered: 'good',
  read: 'good',
  failed: 'bad',
  received: 'good',
};

/** The counterpart's name, else the number, the username or the contact's id; null if all are unknown. */
export function counterpartName({ direction, to, from, contact }: MessageResource): string | null {
  const number = direction === 'outbound' ? to : from;
  const name = nameText(contact?.name);
  if (name !== null) return name;
  if (number !== null) return phoneText(number);
  return nameText(contact?.username) ?? contact?.id ?? null;
}

/**
 * The names of people by number, as the received messages of a list have them: an outbound message knows only the
 * number.
 */
export function namesByNumber(messages: readonly MessageResource[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  // The newest message is the first of its list, and its name wins.
  for (const { contact } of messages.toReversed()) {
    const name = nameText(contact?.name);
    if (contact === null || name === null) continue;
    for (const number of [contact.phone_number, ...contact.dialled_numbers])
      if (number !== null) names.set(number, name);
  }
  return names;
}

/** The id of a message's chat in the API; null if the network does not name the counterpart. */
export function counterpartId({ direction, to, from, group_id, contact }: MessageResource): string | null {
  return group_id ?? contact?.id ?? (direction === 'outbound' ? to : from);
}
