import type { ContactReport } from '../domain/contact/contact.ts';

/** What the sandbox network knows of whoever has this number. */
export function personOf(phoneNumber: string): ContactReport {
  return { networkId: phoneNumber, aliases: [], phoneNumber, name: null, username: null };
}
