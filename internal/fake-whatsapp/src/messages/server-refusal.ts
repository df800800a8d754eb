import { jidDecode } from '@whiskeysockets/baileys';
import type { Connection } from '../connection/connection.ts';
import type { Contact } from '../directory/contact.ts';
import type { Stanza } from '../stanza.ts';
import { hasContactToken, hasTrustToken } from './message-tokens.ts';

/** The client named the members of a group differently from how the network now names them. */
const OUTDATED_MEMBERS = 421;
/** The network does not deliver to this name of a person, or requires the person's token. */
const NOT_TO_THIS_NAME = 463;

/** The error with which the network itself refuses a message; undefined if the network accepts it. */
export function serverRefusal(connection: Connection, node: Stanza): number | undefined {
  const { directory } = connection.network;
  const to = node.attrs['to'] ?? '';
  const group = directory.findGroup(to);
  // A copy for a device that asked again names no mode and has no token: whatsmeow's `retry.go`.
  const { participant, device_fanout: fanout } = node.attrs;
  const isForOne = participant !== undefined || fanout === 'false';
  if (group) {
    return isForOne || node.attrs['addressing_mode'] === group.addressing ? undefined : OUTDATED_MEMBERS;
  }
  const contact = directory.byJid(to);
  if (contact === undefined) return undefined;
  const mode = jidDecode(to)?.server === 'lid' ? 'lid' : 'pn';
  const isWrongName = contact.writtenToBy !== 'either' && contact.writtenToBy !== mode;
  const lacksToken = !isForOne && contact.needsToken !== false && !hasToken(connection, contact, node);
  return isWrongName || lacksToken ? NOT_TO_THIS_NAME : undefined;
}

function hasToken(connection: Connection, contact: Contact, node: Stanza): boolean {
  if (hasTrustToken(connection, contact, node)) return true;
  return contact.needsToken === 'any' && hasContactToken(connection, contact, node);
}
