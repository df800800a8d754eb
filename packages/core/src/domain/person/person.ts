import { networkIdsOf, numbersOf } from '../contact/contact.ts';
import type { Contact } from '../contact/contact.ts';
import type { Message } from '../message/message.ts';

/**
 * All identifiers of one person in a workspace's data. A person has a contact on each instance that knows them, and one
 * instance may know facts that another does not.
 */
export interface Person {
  readonly workspaceId: string;
  /** Digits. */
  readonly numbers: ReadonlySet<string>;
  /** The ids of their contacts, including those of contacts that were merged. */
  readonly contactIds: ReadonlySet<string>;
  /** The network's ids of the person, on any instance. */
  readonly networkIds: ReadonlySet<string>;
}

export function personWithNumber(workspaceId: string, number: string): Person {
  return { workspaceId, numbers: new Set([number]), contactIds: new Set(), networkIds: new Set() };
}

/** Whether a contact is this person: it shares an id, a network id or a number with them. */
export function isContactOf(person: Person, contact: Contact): boolean {
  return (
    [contact.id, ...contact.formerIds].some((id) => person.contactIds.has(id)) ||
    networkIdsOf(contact).some((id) => person.networkIds.has(id)) ||
    numbersOf(contact).some((digits) => person.numbers.has(digits))
  );
}

export function withContact(person: Person, contact: Contact): Person {
  const { id, formerIds } = contact;
  return {
    workspaceId: person.workspaceId,
    numbers: new Set([...person.numbers, ...numbersOf(contact)]),
    contactIds: new Set([...person.contactIds, id, ...formerIds]),
    networkIds: new Set([...person.networkIds, ...networkIdsOf(contact)]),
  };
}

/** A message with the network's id of its sender, which is empty for an outbound message. */
export interface SentMessage {
  readonly message: Pick<Message, 'direction' | 'groupId' | 'from' | 'to' | 'contact'>;
  readonly senderId: string;
}

/**
 * Whether a message belongs to this person: every message of the chat with them, and the messages that they wrote in
 * groups. Messages that others wrote in groups do not, even if they are about this person.
 */
export function isMessageOf(person: Person, { message, senderId }: SentMessage): boolean {
  const { direction, groupId, from, to, contact } = message;
  if (direction === 'outbound' && groupId !== null) return false;
  const number = direction === 'inbound' ? from : to;
  return (
    (number !== null && person.numbers.has(number)) ||
    (contact !== null && person.contactIds.has(contact.id)) ||
    person.networkIds.has(senderId)
  );
}
