import { boundedPlainText } from '../message/inbound-bounds.ts';
import type { ContactReport } from './contact.ts';

/** Lengths in UTF-16 code units. WhatsApp allows 25 for a name. */
const CONTACT_NAME_MAX = 256;
const NETWORK_ID_MAX = 255;
/** How many network ids a report may have in addition to the preferred one. */
const REPORTED_ALIASES_MAX = 8;
/** E.164, as for recipients. */
const NUMBER = /^[1-9][0-9]{6,14}$/;

/**
 * Bounds a report: cuts names, removes NUL and replaces lone surrogates in them, and leaves out invalid numbers,
 * invalid aliases and excess aliases. Null if the network id itself is invalid.
 */
export function boundedReport({
  networkId,
  aliases,
  phoneNumber,
  dialledNumbers,
  name,
  username,
}: ContactReport): ContactReport | null {
  if (!isNetworkId(networkId)) return null;
  return {
    networkId,
    aliases: aliases.filter(isNetworkId).slice(0, REPORTED_ALIASES_MAX),
    phoneNumber: phoneNumber !== null && NUMBER.test(phoneNumber) ? phoneNumber : null,
    dialledNumbers: dialledNumbers?.filter((digits) => NUMBER.test(digits)),
    name: boundedName(name),
    username: boundedName(username),
  };
}

function isNetworkId(id: string): boolean {
  return id !== '' && id.length <= NETWORK_ID_MAX && id.isWellFormed() && !id.includes('\0');
}

function boundedName(name: string | null): string | null {
  const bounded = name === null ? '' : boundedPlainText(name, CONTACT_NAME_MAX).trim();
  return bounded === '' ? null : bounded;
}
