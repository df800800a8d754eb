import type { Contact } from '../contact/contact.ts';
import { chatOf } from '../message/chat.ts';
import type { Message } from '../message/message.ts';
import type { Recipient } from '../message/recipient.ts';

/**
 * What a message is filed under, within its instance: the id of its group, else that of its contact, else the digits of
 * the other side's number; null if the network says none of these. Each message has one key, and one person may have
 * several (`chatKeysOf`).
 */
export function chatKeyOf(message: Message): string | null {
  const { groupId, contact, number } = chatOf(message);
  return groupId ?? contact?.id ?? number;
}

/**
 * The keys of one person. `hasNumber`: no other contact of the instance has the same number (`ownerOfNumber`). What was
 * filed under a number belongs to the person who has that number now.
 */
export function chatKeysOf(
  { id, formerIds, phoneNumber }: Pick<Contact, 'id' | 'formerIds' | 'phoneNumber'>,
  hasNumber: boolean,
): readonly string[] {
  return [id, ...formerIds, ...(phoneNumber !== null && hasNumber ? [phoneNumber] : [])];
}

/** Of the contacts of one instance with the same number, the one that has it: the newest. */
export function ownerOfNumber<Owner extends Pick<Contact, 'id'>>(contacts: readonly Owner[]): Owner | null {
  return contacts.toSorted((a, b) => (a.id < b.id ? 1 : -1))[0] ?? null;
}

/** The number that a key is; null for the id of a group or a contact. */
export function numberOfKey(key: string): string | null {
  return /^[0-9]+$/.test(key) ? key : null;
}

/** The key of messages with this person, or in this group, of whom no more is known. */
export function keyOfCounterpart(counterpart: Recipient): string {
  if (counterpart.kind === 'number') return counterpart.digits;
  return counterpart.kind === 'group' ? counterpart.groupId : counterpart.contactId;
}
