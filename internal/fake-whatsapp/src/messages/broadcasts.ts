import { proto } from '@whiskeysockets/baileys';
import type { Network } from '../network.ts';
import { seconds, stanza } from '../stanza.ts';
import type { Contact } from '../directory/contact.ts';
import type { LinkedAccount } from '../directory/linked-account.ts';
import { encNode, encryptFor, newMessageId } from './phone-to-client.ts';

const STATUSES = 'status@broadcast';

interface Sending {
  readonly from: Contact;
  readonly to: LinkedAccount;
  readonly text: string;
}

export async function postStatus(network: Network, { from, to, text }: Sending): Promise<string> {
  const id = newMessageId();
  const attrs = { ...attributes(network, id), from: STATUSES, participant: from.jid, notify: from.name };
  const message = { extendedTextMessage: { text } };
  for (const companion of to.reachable) {
    const enc = encNode(await encryptFor(from.device, companion, message));
    companion.inbox.put(stanza('message', attrs, [enc]));
  }
  return id;
}

/** A channel that the account follows posts a text, which is not encrypted. Returns the network id. */
export function postInChannel(network: Network, to: LinkedAccount, text: string): string {
  return putPlaintext(network, to, { from: '120363000000000009@newsletter', server_id: '100', text });
}

/** Sends an unencrypted text that names a person as its sender, which phones never do. Returns the network id. */
export function sendPlaintext(network: Network, { from, to, text }: Sending): string {
  return putPlaintext(network, to, { from: from.jid, notify: from.name, text });
}

interface Plaintext {
  readonly text: string;
  readonly from: string;
  readonly notify?: string;
  readonly server_id?: string;
}

function putPlaintext(network: Network, to: LinkedAccount, { text, ...names }: Plaintext): string {
  const id = newMessageId();
  const bytes = proto.Message.encode({ conversation: text }).finish();
  const node = stanza('message', { ...attributes(network, id), ...names }, [stanza('plaintext', {}, bytes)]);
  for (const { inbox } of to.reachable) inbox.put(node);
  return id;
}

function attributes(network: Network, id: string) {
  return { id, t: seconds(network.now()), type: 'text' };
}
