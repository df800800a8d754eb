import { jidDecode } from '@whiskeysockets/baileys';
import type { Connection } from '../connection/connection.ts';
import type { Contact } from '../directory/contact.ts';
import { bytesOf, child } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';

/** The network knows another way of naming the members than the client that wrote to a group. */
const OUTDATED_MEMBERS = 421;
/** The network delivers nothing to this name of a person, or not without a token of theirs. */
const NOT_TO_THIS_NAME = 463;

/** The error that the network itself has for a message, to any phone; undefined if it takes it. */
export function serverRefusal(connection: Connection, node: Stanza): number | undefined {
  const { directory } = connection.network;
  const to = node.attrs['to'] ?? '';
  const group = directory.findGroup(to);
  if (group) return node.attrs['addressing_mode'] === group.addressing ? undefined : OUTDATED_MEMBERS;
  const contact = directory.byJid(to);
  if (contact === undefined) return undefined;
  const mode = jidDecode(to)?.server === 'lid' ? 'lid' : 'pn';
  const isWrongName = contact.writtenToBy !== 'either' && contact.writtenToBy !== mode;
  const lacksToken = contact.needsToken && !hasToken(connection, contact, node);
  return isWrongName || lacksToken ? NOT_TO_THIS_NAME : undefined;
}

function hasToken({ client, network }: Connection, contact: Contact, node: Stanza): boolean {
  if (child(node, 'tctoken') === undefined) return false;
  return contact.tokens.accept(client.account.phoneNumber, bytesOf(node, 'tctoken'), network.now());
}
