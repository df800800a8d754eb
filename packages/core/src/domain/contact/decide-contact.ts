import { CONTACT_ALIASES_MAX, DIALLED_NUMBERS_MAX, networkIdsOf } from './contact.ts';
import type { Contact, ContactReport } from './contact.ts';

/** The changes that a report causes. If the report says nothing new, `written` is empty. */
export interface ContactDecision {
  /** The person that the report is about. */
  readonly contact: Contact;
  /**
   * Contacts to insert or, if their id is already stored, to overwrite: the person, if changed, and contacts that lose
   * a network id or a number to the person.
   */
  readonly written: readonly Contact[];
  /** Ids of contacts that were merged into `contact`. Lookups by these ids now find `contact`. */
  readonly mergedIds: readonly string[];
  /** Network ids that no longer lead to a contact. */
  readonly droppedNetworkIds: readonly string[];
}

/**
 * Decides which person a report is about. `known` are all contacts of the instance that have one of the report's
 * network ids or dialled numbers; `newContact` returns the fields of a new contact that never change. If several
 * contacts turn out to be one person, the oldest id wins.
 *
 * A contact is this person if the report has the contact's preferred network id, or if the contact has the report's
 * preferred id. A contact that shares only another id or a number with the report is another person, who loses it,
 * because numbers are reassigned.
 */
export function decideContact(
  report: ContactReport,
  known: readonly Contact[],
  newContact: () => Pick<Contact, 'id' | 'workspaceId' | 'instanceId' | 'createdAt'>,
): ContactDecision {
  const reported = [...new Set(networkIdsOf(report))];
  const isSame = (contact: Contact): boolean =>
    reported.includes(contact.networkId) || networkIdsOf(contact).includes(report.networkId);
  const [winner, ...others] = known.filter(isSame).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const losing = known.filter((contact) => !isSame(contact));

  const merged = winner ? mergeReport(report, reported, winner, others) : null;
  const { contact, droppedNetworkIds } = merged ?? {
    contact: { ...newContact(), ...factsOf(report, reported), formerIds: [] },
    droppedNetworkIds: [],
  };
  const isChanged = winner === undefined || others.length > 0 || differs(winner, contact);
  return {
    contact,
    written: [
      ...(isChanged ? [contact] : []),
      ...losing.map((other) => withoutReported(other, report, reported)),
    ],
    mergedIds: others.flatMap(({ id, formerIds }) => [id, ...formerIds]),
    droppedNetworkIds,
  };
}

function factsOf(report: ContactReport, reported: readonly string[]) {
  const { networkId, phoneNumber, dialledNumbers = [], name, username } = report;
  return {
    networkId,
    aliases: reported.filter((id) => id !== networkId).slice(0, CONTACT_ALIASES_MAX),
    phoneNumber,
    dialledNumbers: otherNumbers(dialledNumbers, phoneNumber),
    name,
    username,
  };
}

function otherNumbers(numbers: readonly string[], phoneNumber: string | null): readonly string[] {
  return [...new Set(numbers)].filter((digits) => digits !== phoneNumber).slice(0, DIALLED_NUMBERS_MAX);
}

function mergeReport(
  report: ContactReport,
  reported: readonly string[],
  winner: Contact,
  others: readonly Contact[],
): { readonly contact: Contact; readonly droppedNetworkIds: readonly string[] } {
  const same = [winner, ...others];
  const known = same.flatMap(networkIdsOf);
  // A report without the contact's preferred id, such as a report with only a number, does not change that id.
  const networkId = reported.includes(winner.networkId) ? report.networkId : winner.networkId;
  // Known ids keep their order, so that reports that differ only in the order change nothing.
  const all = [...new Set([...reported.filter((id) => !known.includes(id)), ...known])];
  const aliases = all.filter((id) => id !== networkId);
  const fact = (name: 'phoneNumber' | 'name' | 'username'): string | null =>
    report[name] ?? same.find((contact) => contact[name] !== null)?.[name] ?? null;
  const phoneNumber = fact('phoneNumber');
  const dialled = [...same, report].flatMap(({ dialledNumbers = [] }) => dialledNumbers);
  return {
    contact: {
      ...winner,
      networkId,
      aliases: aliases.slice(0, CONTACT_ALIASES_MAX),
      formerIds: [...winner.formerIds, ...others.flatMap(({ id, formerIds }) => [id, ...formerIds])],
      phoneNumber,
      dialledNumbers: otherNumbers(dialled, phoneNumber),
      name: fact('name'),
      username: fact('username'),
    },
    droppedNetworkIds: aliases.slice(CONTACT_ALIASES_MAX),
  };
}

function differs(before: Contact, after: Contact): boolean {
  return (
    before.networkId !== after.networkId ||
    before.phoneNumber !== after.phoneNumber ||
    before.name !== after.name ||
    before.username !== after.username ||
    JSON.stringify(before.aliases) !== JSON.stringify(after.aliases) ||
    JSON.stringify(before.dialledNumbers) !== JSON.stringify(after.dialledNumbers)
  );
}

function withoutReported(contact: Contact, report: ContactReport, reported: readonly string[]): Contact {
  return {
    ...contact,
    aliases: contact.aliases.filter((id) => !reported.includes(id)),
    phoneNumber: contact.phoneNumber === report.phoneNumber ? null : contact.phoneNumber,
    dialledNumbers: contact.dialledNumbers.filter(
      (digits) => report.dialledNumbers?.includes(digits) !== true,
    ),
  };
}
