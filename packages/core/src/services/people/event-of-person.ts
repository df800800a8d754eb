import * as z from 'zod';
import type { Event } from '../../domain/event/event.ts';
import { isMessageOf } from '../../domain/person/person.ts';
import type { Person } from '../../domain/person/person.ts';

const contact = z.object({ id: z.string(), phone_number: z.string().nullable() }).nullable();

/** The fields that name people in the message of an event; see `messageResource`. */
const message = z.object({
  direction: z.enum(['inbound', 'outbound']),
  from: z.string().nullable(),
  to: z.string().nullable(),
  group_id: z.string().nullable(),
  contact,
});
const body = z.object({ data: z.record(z.string(), z.unknown()) });
const messageBody = z.object({ data: z.object({ message: z.looseObject({ id: z.string() }) }) });
const deed = z.object({ contact });

/**
 * Whether the body of an event has data of this person: one of their messages, or an act of theirs, such as a reaction
 * to another person's message or a call.
 */
export function isEventOf(person: Person, { payload }: Pick<Event, 'payload'>): boolean {
  const read = body.safeParse(parsed(payload));
  if (!read.success) return false;
  return Object.entries(read.data.data).some(([name, value]) =>
    name === 'message' ? isOwnMessage(person, value) : isOwnDeed(person, value),
  );
}

/** Returns the id of the person's message that the event is about; null if there is none. */
export function ownMessageIdOf(person: Person, { payload }: Pick<Event, 'payload'>): string | null {
  const read = messageBody.safeParse(parsed(payload));
  if (!read.success) return null;
  const about = read.data.data.message;
  return isOwnMessage(person, about) ? about.id : null;
}

function isOwnMessage(person: Person, value: unknown): boolean {
  const read = message.safeParse(value);
  if (!read.success) return false;
  const { group_id: groupId, contact: named, ...rest } = read.data;
  const known = named && {
    id: named.id,
    phoneNumber: named.phone_number,
    dialledNumbers: [],
    name: null,
    username: null,
  };
  return isMessageOf(person, { message: { ...rest, groupId, contact: known }, senderId: '' });
}

function isOwnDeed(person: Person, value: unknown): boolean {
  const read = deed.safeParse(value);
  if (!read.success || read.data.contact === null) return false;
  const { id, phone_number: number } = read.data.contact;
  return person.contactIds.has(id) || (number !== null && person.numbers.has(number));
}

/** Null if a body is not JSON, which the service never writes. */
function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return null;
  }
}
