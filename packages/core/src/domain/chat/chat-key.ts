import { numbersOf } from '../contact/contact.ts';
import type { Contact } from '../contact/contact.ts';
import { chatOf } from '../message/chat.ts';
import type { Message } from '../message/message.ts';
import type { Recipient } from '../message/recipient.ts';

/**
 * The key that a message is filed under, within its instance: the id of its group, else the id of its contact, else the
 * digits of the other side's number; null if the message has none of the three. A message has at most one key, but a
 * person may have several (`chatKeysOf`).
 */
export function chatKeyOf(message: Message): string | null {
  const { groupId, contact, number } = chatOf(message);
  return groupId ?? contact?.id ?? number;
}

/**
 * The keys of the messages with one person. `ownerOf` returns the contact that has a number now (`ownerOfNumber`),
 * because messages filed under a number belong to its current owner.
 */
export function chatKeysOf(
  contact: Pick<Contact, 'id' | 'formerIds' | 'phoneNumber' | 'dialledNumbers'>,
  ownerOf: (digits: string) => Pick<Contact, 'id'> | null,
): readonly string[] {
  const { id, formerIds } = contact;
  return [id, ...formerIds, ...numbersOf(contact).filter((digits) => ownerOf(digits)?.id === id)];
}

/**
 * The contact that has a number, among the contacts of one instance: the newest with this `phoneNumber`, or else the
 * newest with this number among its `dialledNumbers`.
 */
export function ownerOfNumber<Owner extends Pick<Contact, 'id' | 'phoneNumber' | 'dialledNumbers'>>(
  digits: string,
  contacts: readonly Owner[],
): Owner | null {
  const newest = contacts
    .filter((contact) => numbersOf(contact).includes(digits))
    .toSorted((a, b) => (a.id < b.id ? 1 : -1));
  return newest.find(({ phoneNumber }) => phoneNumber === digits) ?? newest[0] ?? null;
}

/** The number that a key consists of; null for the id of a group or a contact. */
export function numberOfKey(key: string): string | null {
  return /^[0-9]+$/.test(key) ? key : null;
}

/** The key that `counterpart` gives without a lookup: a number gives its digits, even if a contact has the number. */
export function keyOfCounterpart(counterpart: Recipient): string {
  if (counterpart.kind === 'number') return counterpart.digits;
  return counterpart.kind === 'group' ? counterpart.groupId : counterpart.contactId;
}
