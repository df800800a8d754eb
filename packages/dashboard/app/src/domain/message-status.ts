import type { MessageResource } from '@trunkline/http/client';
import type { Tone } from '../components/status-badge.tsx';
import { phoneText } from './phone-text.ts';

export type MessageStatus = MessageResource['status'];

/** In the order in which a message has them. */
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

/** With whom a message is, as people name them; null if the network does not say it. */
export function counterpartName({ direction, to, from, contact }: MessageResource): string | null {
  const number = direction === 'outbound' ? to : from;
  if (contact?.name) return contact.name;
  if (number !== null) return phoneText(number);
  return contact?.username ?? contact?.id ?? null;
}
