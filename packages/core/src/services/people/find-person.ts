import * as z from 'zod';
import type { Contact } from '../../domain/contact/contact.ts';
import { isId } from '../../domain/id.ts';
import { parsePhoneNumber } from '../../domain/message/recipient.ts';
import { isContactOf, personWithNumber, withContact } from '../../domain/person/person.ts';
import type { Person } from '../../domain/person/person.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { invalid, readInput } from '../../inputs/read-input.ts';
import { noWorkspace } from '../admin/workspaces.ts';
import type { ServiceContext } from '../context.ts';
import { partsOf } from './walks.ts';

/**
 * A person with whom instances of a workspace exchange messages, identified by their phone number in any usual format
 * or by the id of one of their contacts.
 */
export type PersonInput = {
  /** `ten_…` */
  readonly workspaceId: string;
} & (
  | {
      /** Their phone number with its country code, formatted or not. */
      readonly number: string;
      /** The id of one of their contacts, `con_…`. */
      readonly contactId?: undefined;
    }
  | {
      /** The id of one of their contacts, `con_…`. */
      readonly contactId: string;
      /** Their phone number with its country code, formatted or not. */
      readonly number?: undefined;
    }
);

const input = z.object({
  workspaceId: z.string(),
  number: z.string().optional(),
  contactId: z.string().optional(),
});

/** Finds a person, with the data of all their contacts in the workspace. */
export async function findPerson(context: ServiceContext, given: PersonInput): Promise<Result<Person>> {
  const read = readInput(input, given);
  if (!read.ok) return read;
  const { workspaceId, number, contactId } = read.value;
  if ((number === undefined) === (contactId === undefined))
    return invalid({ number: ['Give either the number or the contactId.'] });
  if (!(await context.storage.workspaces.find(workspaceId))) return noWorkspace();
  if (contactId !== undefined) return findByContact(context, workspaceId, contactId);
  const parsed = parsePhoneNumber(number ?? '');
  if (!parsed.ok) return invalid({ number: [`A phone number ${parsed.rule}.`] });
  return ok(await withAllContacts(context, personWithNumber(workspaceId, parsed.digits)));
}

async function findByContact(
  context: ServiceContext,
  workspaceId: string,
  contactId: string,
): Promise<Result<Person>> {
  const named = {
    ...personWithNumber(workspaceId, ''),
    numbers: new Set<string>(),
    contactIds: new Set([contactId]),
  };
  const contacts = isId('con', contactId) ? await contactsOf(context, named) : [];
  const [contact] = contacts;
  if (!contact)
    return refuse(
      'NOT_FOUND',
      'There is no such contact in this workspace: use the id of a contact in one of its messages, or the number.',
    );
  return ok(await withAllContacts(context, withContact(named, contact)));
}

/**
 * Adds contacts until no more are found, because a contact may lead to another contact of the same person, on
 * another instance.
 */
async function withAllContacts(context: ServiceContext, start: Person): Promise<Person> {
  let person = start;
  for (;;) {
    const contacts = await contactsOf(context, person);
    const known = contacts.reduce(withContact, person);
    if (sizeOf(known) === sizeOf(person)) return person;
    person = known;
  }
}

function sizeOf({ numbers, contactIds, networkIds }: Person): number {
  return numbers.size + contactIds.size + networkIds.size;
}

/** All contacts of a person, as they are now. */
export async function contactsOf(
  { storage }: Pick<ServiceContext, 'storage'>,
  person: Person,
): Promise<readonly Contact[]> {
  const found: Contact[] = [];
  for await (const { rows } of partsOf((walk) => storage.erasure.listContacts(person.workspaceId, walk)))
    found.push(...rows.filter((contact) => isContactOf(person, contact)));
  return found;
}
