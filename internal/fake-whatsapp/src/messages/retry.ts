import { encodeBigEndian, extractE2ESessionFromRetryReceipt } from '@whiskeysockets/baileys';
import type { Connection } from '../connection/connection.ts';
import type { Network } from '../network.ts';
import { child, seconds, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import type { Contact } from '../directory/contact.ts';
import type { Companion } from '../directory/linked-account.ts';
import { sendAgain } from './phone-to-client.ts';

/** As often as phones do. */
const MOST_RETRIES = 5;

export interface Unreadable {
  readonly id: string;
  readonly reader: Contact;
  /** The group's jid, or null. */
  readonly group: string | null;
}

/** A phone could not read a client's message and asks for it again. */
export function askForRetry(network: Network, companion: Companion, { id, reader, group }: Unreadable): void {
  const count = (reader.retries.get(id) ?? 0) + 1;
  if (count > MOST_RETRIES) return;
  reader.retries.set(id, count);
  const addressing = group === null ? 'lid' : network.directory.group(group).addressing;
  const jid = reader.jidIn(addressing);
  const names = group === null ? { from: jid } : { from: group, participant: jid };
  const t = seconds(network.now());
  companion.inbox.put(
    stanza('receipt', { id, t, type: 'retry', ...names }, [
      stanza('retry', { count: String(count), id, t, v: '1' }),
      stanza('registration', {}, encodeBigEndian(reader.device.creds.registrationId)),
    ]),
  );
}

/** A client could not read a message and asks the sender's phone for it again. */
export async function onRetryReceipt({ client, network }: Connection, receipt: Stanza): Promise<void> {
  const { id = '', to = '', participant } = receipt.attrs;
  const sender = network.directory.byJid(participant ?? to);
  if (sender === undefined) return;
  const bundle = extractE2ESessionFromRetryReceipt(receipt);
  if (bundle !== null) {
    const { preKey, ...session } = bundle;
    await sender.device.startSession(client.jid, preKey === undefined ? session : { ...session, preKey });
  }
  await sendAgain(sender, client, { id, count: child(receipt, 'retry')?.attrs['count'] ?? '1' });
}
