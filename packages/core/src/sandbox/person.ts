import type { ContactReport } from '../domain/contact/contact.ts';

/** Facts that the sandbox network knows about a person, apart from their number. */
export interface SandboxPerson {
  /**
   * The network's id of the person, which stays the same when their number becomes known. By default, the number is
   * their id.
   */
  readonly networkId?: string | undefined;
  readonly name?: string | undefined;
  readonly username?: string | undefined;
}

/**
 * A person as the sandbox network reports them. Without a number or a network id, the report's `networkId` is empty.
 */
export function personOf(phoneNumber: string | null, person: SandboxPerson = {}): ContactReport {
  const { networkId = phoneNumber ?? '', name = null, username = null } = person;
  const aliases = phoneNumber === null || phoneNumber === networkId ? [] : [phoneNumber];
  return { networkId, aliases, phoneNumber, name, username };
}
