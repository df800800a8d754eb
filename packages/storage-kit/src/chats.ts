import {
  chatKeyOf,
  chatKeysOf,
  keyOfCounterpart,
  numberOfKey,
  numbersOf,
  ownerOfNumber,
  summaryOf,
} from '@trunkline/core/spi/storage';
import type { ChatSummary, Contact, Message, Recipient } from '@trunkline/core/spi/storage';

type MaybePromise<Value> = Promise<Value> | Value;

/**
 * The chats with this key (the id of a group or a contact, or a number) in one instance; in the whole workspace if
 * `instanceId` is null.
 */
export interface ChatTarget {
  readonly key: string;
  readonly instanceId: string | null;
}

/** Lookups of the contacts of a workspace. */
export interface ContactLookUps {
  /** The current contact for an id, after merges; null unless the contact belongs to the workspace. */
  readonly current: (id: string) => MaybePromise<Contact | null>;
  /** All contacts of the workspace with this number, registered or dialled, except merged ones. */
  readonly withNumber: (digits: string) => MaybePromise<readonly Contact[]>;
}

/** Returns the chats that hold the messages with a counterpart. */
export async function targetsOf(
  counterpart: Recipient,
  instanceId: string | null,
  { current, withNumber }: ContactLookUps,
): Promise<readonly ChatTarget[]> {
  const named: ChatTarget = { key: keyOfCounterpart(counterpart), instanceId };
  const isAsked = (contact: Contact): boolean => instanceId === null || contact.instanceId === instanceId;
  const targets = async (contact: Contact): Promise<readonly ChatTarget[]> => {
    const rivals = (await Promise.all(numbersOf(contact).map(async (digits) => withNumber(digits)))).flat();
    const here = rivals.filter((one) => one.instanceId === contact.instanceId);
    const keys = chatKeysOf(contact, (digits) => ownerOfNumber(digits, here));
    return keys.map((key) => ({ key, instanceId: contact.instanceId }));
  };

  if (counterpart.kind === 'number') {
    const { digits } = counterpart;
    const owners = ownersByInstance(digits, await withNumber(digits)).filter(isAsked);
    const others = (await Promise.all(owners.map(targets))).flat();
    return [named, ...others.filter(({ key }) => key !== named.key)];
  }
  const contact = counterpart.kind === 'contact' ? await current(counterpart.contactId) : null;
  if (!contact) return [named];
  return isAsked(contact) ? targets(contact) : [];
}

function ownersByInstance(digits: string, contacts: readonly Contact[]): readonly Contact[] {
  const instances = new Set(contacts.map((contact) => contact.instanceId));
  return [...instances].flatMap(
    (instanceId) =>
      ownerOfNumber(
        digits,
        contacts.filter((one) => one.instanceId === instanceId),
      ) ?? [],
  );
}

/** A stored message that is not filed in its chat yet. */
export interface UnfiledMessage {
  readonly id: string;
  readonly workspaceId: string;
  readonly instanceId: string;
  readonly key: string | null;
}

export function isOfTarget(
  { key, instanceId }: Omit<UnfiledMessage, 'id'>,
  targets: readonly ChatTarget[],
): boolean {
  return targets.some(
    (target) => target.key === key && (target.instanceId === null || target.instanceId === instanceId),
  );
}

/** Lookups for the chats of one instance. Each lookup takes many ids, numbers or keys together. */
export interface ChatFacts {
  readonly messages: (ids: readonly string[]) => MaybePromise<readonly Message[]>;
  /** The instance's current contacts for these ids, after merges. */
  readonly contacts: (ids: readonly string[]) => MaybePromise<readonly Contact[]>;
  /** The instance's contacts with these numbers, registered or dialled, except merged ones. */
  readonly withNumbers: (digits: readonly string[]) => MaybePromise<readonly Contact[]>;
  /** The id of the last message under each key, filed or not. */
  readonly lastIds: (keys: readonly string[]) => MaybePromise<ReadonlyMap<string, string>>;
  readonly groupNames: (groupIds: readonly string[]) => MaybePromise<ReadonlyMap<string, string>>;
}

/**
 * Returns the chats whose last message has one of these ids. A person's messages may be filed under several keys, so a
 * chat is left out if its person has a later message under another key.
 */
export async function readChats(ids: readonly string[], facts: ChatFacts): Promise<readonly ChatSummary[]> {
  const messages = await facts.messages(ids);
  const keyed = messages.flatMap((message) => {
    const key = chatKeyOf(message);
    return key === null ? [] : [{ message, key }];
  });
  const keys = keyed.map(({ key }) => key);
  const people = await readPeople(keys, facts);
  const lastIds = await facts.lastIds([...people.values()].flatMap((person) => person.keys));
  const groups = keyed.flatMap(({ message }) => message.groupId ?? []);
  const groupNames = groups.length === 0 ? new Map<string, string>() : await facts.groupNames(groups);

  return keyed.flatMap(({ message, key }) => {
    const person = people.get(key);
    const isLast = person?.keys.every((one) => (lastIds.get(one) ?? '') <= message.id);
    if (!person || isLast !== true) return [];
    const { contact } = person;
    return [
      {
        instanceId: message.instanceId,
        groupId: message.groupId,
        contact: contact && summaryOf(contact),
        number: contact ? contact.phoneNumber : numberOfKey(key),
        groupName: message.groupId === null ? null : (groupNames.get(message.groupId) ?? null),
        lastMessage: message,
      },
    ];
  });
}

interface Person {
  readonly contact: Contact | null;
  readonly keys: readonly string[];
}

async function readPeople(keys: readonly string[], facts: ChatFacts): Promise<ReadonlyMap<string, Person>> {
  const byId = new Map<string, Contact>();
  const contactIds = keys.filter((key) => key.startsWith('con_'));
  for (const contact of contactIds.length === 0 ? [] : await facts.contacts(contactIds)) {
    for (const id of [contact.id, ...contact.formerIds]) byId.set(id, contact);
  }
  const named = [
    ...keys.flatMap((key) => numberOfKey(key) ?? []),
    ...[...byId.values()].flatMap((contact) => numbersOf(contact)),
  ];
  const found = await contactsWith(named, facts);
  // A contact found by one number may share its other numbers with other contacts.
  const others = found.flatMap((contact) => numbersOf(contact)).filter((digits) => !named.includes(digits));
  const rivals = [...found, ...(await contactsWith(others, facts))];
  const ownerOf = (digits: string | null): Contact | null =>
    digits === null ? null : ownerOfNumber(digits, rivals);
  const personOf = (key: string): Person => {
    const contact = byId.get(key) ?? ownerOf(numberOfKey(key));
    return contact ? { contact, keys: chatKeysOf(contact, ownerOf) } : { contact: null, keys: [key] };
  };
  return new Map(keys.map((key) => [key, personOf(key)]));
}

async function contactsWith(
  numbers: readonly string[],
  { withNumbers }: ChatFacts,
): Promise<readonly Contact[]> {
  return numbers.length === 0 ? [] : withNumbers([...new Set(numbers)]);
}
