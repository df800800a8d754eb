/** A person who exchanges messages with an instance. Each instance has its own contact for a person. */
export interface Contact {
  readonly id: string;
  readonly workspaceId: string;
  readonly instanceId: string;
  /** The network's preferred id of the person, to which messages can be sent whether the number is known or not. */
  readonly networkId: string;
  /** Other network ids of the same person, newest first. At most `CONTACT_ALIASES_MAX`. */
  readonly aliases: readonly string[];
  /** Ids of contacts that turned out to be this person. Lookups by these ids find this contact. */
  readonly formerIds: readonly string[];
  /** Digits; null while the network hides them. */
  readonly phoneNumber: string | null;
  /**
   * Other numbers, in digits, that lead to this person when they are dialled, such as a number with Brazil's ninth
   * digit. Oldest first; at most `DIALLED_NUMBERS_MAX`.
   */
  readonly dialledNumbers: readonly string[];
  readonly name: string | null;
  readonly username: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** The fields of a contact that a message shows, and the fields by which the message's chat is found. */
export type ContactSummary = Pick<Contact, 'id' | 'name' | 'phoneNumber' | 'dialledNumbers' | 'username'>;

export function summaryOf({ id, name, phoneNumber, dialledNumbers, username }: Contact): ContactSummary {
  return { id, name, phoneNumber, dialledNumbers, username };
}

export function numbersOf({
  phoneNumber,
  dialledNumbers,
}: Pick<Contact, 'phoneNumber' | 'dialledNumbers'>): readonly string[] {
  return phoneNumber === null ? dialledNumbers : [phoneNumber, ...dialledNumbers];
}

export function networkIdsOf({
  networkId,
  aliases,
}: Pick<Contact, 'networkId' | 'aliases'>): readonly string[] {
  return [networkId, ...aliases];
}

/** A person as the network reports them. */
export interface ContactReport {
  /** The network's preferred id of the person, to which messages can be sent whether the number is known or not. */
  readonly networkId: string;
  /** Other network ids of the same person, such as an id made from their number. */
  readonly aliases: readonly string[];
  /** Digits, or null if the network hides them. */
  readonly phoneNumber: string | null;
  /** Other numbers, in digits, that the network resolves to this person. */
  readonly dialledNumbers?: readonly string[] | undefined;
  /** The name that the person gave themselves; null if this report has no name. */
  readonly name: string | null;
  readonly username: string | null;
}

export const CONTACT_ALIASES_MAX = 20;
/** More than one person has in any known network. */
export const DIALLED_NUMBERS_MAX = 10;
