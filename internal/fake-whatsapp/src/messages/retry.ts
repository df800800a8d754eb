import {
  encodeBigEndian,
  extractE2ESessionFromRetryReceipt,
  isPnUser,
  jidDecode,
} from '@whiskeysockets/baileys';
import type { Connection } from '../connection/connection.ts';
import type { Network } from '../network.ts';
import { child, seconds, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import { PHONE } from '../directory/contact.ts';
import type { AddressingMode, Contact } from '../directory/contact.ts';
import type { Companion } from '../directory/linked-account.ts';
import { sendAgain } from './phone-to-client.ts';

/** The limit after which phones stop asking for a message. */
const MOST_RETRIES = 5;

export interface Unreadable {
  readonly id: string;
  readonly reader: Contact;
  readonly device: number;
  /** The group's jid; null for a message to one person. */
  readonly group: string | null;
  /** Whether the device ignores the limit of its requests. */
  readonly insists?: boolean | undefined;
  /** How the request names the reader of a message to one person; as the message did by default. */
  readonly addressing?: AddressingMode | undefined;
}

/**
 * A device could not read a client's message and asks for it again. All requests but the first contain keys for a new
 * session.
 */
export async function askForRetry(
  network: Network,
  companion: Companion,
  { id, reader, device, group, insists = false, addressing: named }: Unreadable,
): Promise<void> {
  const name = `${id}:${String(device)}`;
  const count = (reader.retries.get(name) ?? 0) + 1;
  if (count > MOST_RETRIES && !insists) return;
  reader.retries.set(name, count);
  const peer = reader.deviceOf(device);
  const keys = count === 1 ? [] : [stanza('keys', {}, await peer.bundle())];
  const addressing =
    group === null ? (named ?? addressingOf(network, id)) : network.directory.group(group).addressing;
  const jid = reader.jidIn(addressing, device === PHONE ? undefined : device);
  const names = group === null ? { from: jid } : { from: group, participant: jid };
  const t = seconds(network.now());
  companion.inbox.put(
    stanza('receipt', { id, t, type: 'retry', ...names }, [
      stanza('retry', { count: String(count), id, t, v: '1' }),
      stanza('registration', {}, encodeBigEndian(peer.creds.registrationId)),
      ...keys,
    ]),
  );
}

/**
 * How the accepted message named its reader. whatsmeow's `retry.go` sends the copy to the address that the request names,
 * so the network must accept a message to that address.
 */
function addressingOf({ chronicle }: Network, id: string): AddressingMode {
  const accepted = chronicle.sent.all({ id }).findLast(({ refused }) => refused === null);
  return accepted && isPnUser(accepted.to) ? 'pn' : 'lid';
}

/** A client could not read a message and asks the sender's phone for it again. */
export async function onRetryReceipt({ client, network }: Connection, receipt: Stanza): Promise<void> {
  const { id = '', to = '', participant } = receipt.attrs;
  const jid = participant ?? to;
  const sender = network.directory.byJid(jid);
  const device = jidDecode(jid)?.device ?? PHONE;
  if (sender?.devices.includes(device) !== true) return;
  const bundle = extractE2ESessionFromRetryReceipt(receipt);
  if (bundle !== null) {
    const { preKey, ...session } = bundle;
    await sender
      .deviceOf(device)
      .startSession(client.jid, preKey === undefined ? session : { ...session, preKey });
  }
  await sendAgain(sender, client, { id, count: child(receipt, 'retry')?.attrs['count'] ?? '1' });
}
