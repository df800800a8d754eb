import { numbersOf } from '../contact/contact.ts';
import type { ContactSummary } from '../contact/contact.ts';
import type { Message } from './message.ts';

/** The chat that a message is in: a group, or the chat with one person, with the known facts about them. */
export interface Chat {
  readonly groupId: string | null;
  readonly contact: Pick<ContactSummary, 'id' | 'phoneNumber' | 'dialledNumbers'> | null;
  /** Digits. */
  readonly number: string | null;
}

export function chatOf({ groupId, contact, direction, from, to }: Message): Chat {
  return { groupId, contact, number: direction === 'inbound' ? from : to };
}

/** Whether two messages of one instance are known to be in the same chat. */
export function isSameChat(a: Chat, b: Chat): boolean {
  if (a.groupId !== null || b.groupId !== null) return a.groupId === b.groupId;
  if (a.contact && b.contact && a.contact.id === b.contact.id) return true;
  const numbers = numbersIn(b);
  return numbersIn(a).some((number) => numbers.includes(number));
}

/**
 * The recipient of an outbound message as the caller gave it. Messages with the same key are sent in the order of their
 * acceptance, one after another.
 */
export function recipientKeyOf({ groupId, to, contact }: Message): string {
  return groupId ?? to ?? contact?.id ?? '';
}

function numbersIn({ number, contact }: Chat): readonly string[] {
  return [...(number === null ? [] : [number]), ...(contact ? numbersOf(contact) : [])];
}
