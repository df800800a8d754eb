import type { WebhookContact, WebhookMessage } from '@trunkline/receiver';

/** The other side of a chat: a number, a person whose number the network hides (`con_…`), or a group (`grp_…`). */
export interface Counterpart {
  readonly kind: 'number' | 'hidden' | 'group';
  readonly id: string;
}

/** Null if the network does not name the other side. */
export function chatOf(message: WebhookMessage): Counterpart | null {
  if (message.group_id !== null) return { kind: 'group', id: message.group_id };
  const number = message.direction === 'inbound' ? message.from : message.to;
  return number === null ? personOf(message.contact) : { kind: 'number', id: number };
}

/** The author of a message in a group; null in any other chat, and for the instance's own messages. */
export function writerOf(message: WebhookMessage): Counterpart | null {
  if (message.group_id === null || message.direction === 'outbound') return null;
  return message.from === null ? personOf(message.contact) : { kind: 'number', id: message.from };
}

export function personOf(contact: WebhookContact | null): Counterpart | null {
  if (contact === null) return null;
  return contact.phone_number === null
    ? { kind: 'hidden', id: contact.id }
    : { kind: 'number', id: contact.phone_number };
}

/** The instance's own number. */
export function ownNumberOf({ direction, from, to }: WebhookMessage): string | null {
  return direction === 'inbound' ? to : from;
}

/**
 * The `to` of POST /messages, from the chat id that a consumer sends: `15550123@c.us` and `15550123@s.whatsapp.net` are
 * numbers, `grp_…@g.us` and `con_…@lid` are Trunkline's own ids.
 */
export function recipientOf(chatId: string): string {
  const [id = ''] = chatId.split('@');
  return id;
}

/** The `reply_to` of POST /messages, from the message id that a consumer sends, such as `false_15550123@c.us_msg_…`. */
export function messageIdOf(oldId: string): string {
  return /msg_[^_]+$/.exec(oldId)?.[0] ?? oldId;
}

/** The address in the format of WhatsApp's clients, such as `15550123@c.us`. */
export function jidOf(counterpart: Counterpart, numberSuffix: 'c.us' | 's.whatsapp.net'): string {
  const suffix = { number: numberSuffix, hidden: 'lid', group: 'g.us' }[counterpart.kind];
  return `${counterpart.id}@${suffix}`;
}

/** When the message was sent, or else received or created, in epoch seconds, as in WhatsApp's own messages. */
export function sentAtSeconds(message: WebhookMessage): number {
  return seconds(message.sent_at ?? message.received_at ?? message.created_at);
}

export function seconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}
