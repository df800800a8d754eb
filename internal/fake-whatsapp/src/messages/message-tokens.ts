import { createHmac } from 'node:crypto';
import type { Connection } from '../connection/connection.ts';
import type { Contact } from '../directory/contact.ts';
import { bytesOf, child } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';

/** Whether a message has a token that the person has given the account: `tctoken.go` of whatsmeow. */
export function hasTrustToken({ client, network }: Connection, contact: Contact, node: Stanza): boolean {
  if (child(node, 'tctoken') === undefined) return false;
  return contact.tokens.accept(client.account.phoneNumber, bytesOf(node, 'tctoken'), network.now());
}

/** Whether a message has the token that the account makes of its salt: `cstoken.go` of whatsmeow. */
export function hasContactToken({ client }: Connection, contact: Contact, node: Stanza): boolean {
  const { nctSalt } = client.account;
  if (child(node, 'cstoken') === undefined || contact.lidJid === undefined || !nctSalt) return false;
  const token = createHmac('sha256', nctSalt).update(contact.lidJid).digest();
  return bytesOf(node, 'cstoken').equals(token);
}

/**
 * Checks that a token of the account's own is right, and that the message has no other one: whatsmeow's `send.go` sends
 * it only to people who have given none.
 */
export function checkTokens(connection: Connection, node: Stanza): void {
  if (child(node, 'cstoken') === undefined) return;
  const { chronicle, directory } = connection.network;
  const contact = directory.byJid(node.attrs['to'] ?? '');
  const isRight = contact !== undefined && hasContactToken(connection, contact, node);
  if (isRight && child(node, 'tctoken') === undefined) return;
  chronicle.problems.push(`message ${node.attrs['id'] ?? ''} with a wrong or a second token`);
}
