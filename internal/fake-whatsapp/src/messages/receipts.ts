import type { Connection } from '../connection/connection.ts';
import type { Network } from '../network.ts';
import { child, children, seconds, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import type { AddressingMode, Contact } from '../directory/contact.ts';
import type { GroupChat } from '../directory/group-chat.ts';
import { LinkedAccount } from '../directory/linked-account.ts';
import { onMediaRetry } from './media-retry.ts';
import { onRetryReceipt } from './retry.ts';

/** Receipts that concern only a client and the server. */
const NOT_FOR_THE_SENDER = new Set([
  'inactive',
  'read-self',
  'sender',
  'peer_msg',
  'hist_sync',
  'server-error',
]);

export async function onReceipt(connection: Connection, receipt: Stanza): Promise<void> {
  const { client, network } = connection;
  const { id = '', to = '', type, participant } = receipt.attrs;
  const ack = stanza('ack', { class: 'receipt', id, from: to, participant, type });
  // Only acks that clients wait for can be held back.
  if (type === 'read' || type === 'read-self') network.disturbances.ack(() => connection.send(ack));
  else connection.send(ack);
  const ids = [id, ...children(child(receipt, 'list'), 'item').map(({ attrs }) => attrs['id'] ?? '')];
  const from = client.account.phoneNumber;
  network.chronicle.receipts.add({ from, to, ids, type: type ?? 'delivered' });

  if (type === 'retry') {
    client.inbox.noteRetry(id);
    await onRetryReceipt(connection, receipt);
  } else if (type === 'server-error') onMediaRetry(connection, receipt);
  else client.inbox.acknowledge(receipt);
  forward(connection, receipt);
}

export interface PhoneReceipt {
  readonly by: Contact;
  readonly type: 'delivered' | 'read' | 'played';
  readonly ids: readonly string[];
  readonly group: GroupChat | undefined;
  readonly addressing: AddressingMode;
  readonly device: number | undefined;
}

/** A person's device reports that it has received or shown the account's messages. */
export function sendReceipt(network: Network, to: LinkedAccount, receipt: PhoneReceipt): void {
  const { by, type, group, addressing, device } = receipt;
  const [id, ...others] = receipt.ids;
  if (id === undefined) throw new Error('a receipt is for one message at least');
  const jid = by.jidIn(addressing, device);
  const names = group === undefined ? { from: jid } : { from: group.jid, participant: jid };
  const word = type === 'delivered' ? undefined : type;
  const items = others.map((other) => stanza('item', { id: other }));
  const list = items.length === 0 ? undefined : [stanza('list', {}, items)];
  const node = stanza('receipt', { id, t: seconds(network.now()), type: word, ...names }, list);
  for (const { inbox } of to.companions.values()) inbox.put(node);
}

interface GroupedReceipts extends Pick<PhoneReceipt, 'type' | 'ids'> {
  readonly by: readonly Contact[];
  readonly group: GroupChat;
}

/** Gathers the receipts of several members, as `handleGroupedReceipt` in whatsmeow's `receipt.go` reads them. */
export function sendGroupedReceipts(network: Network, to: LinkedAccount, receipts: GroupedReceipts): void {
  const { by, type, ids, group } = receipts;
  const t = seconds(network.now());
  const users = by.map((member) => stanza('user', { jid: group.jidOf(member), t }));
  const participants = ids.map((key) => stanza('participants', { key }, users));
  const word = type === 'delivered' ? undefined : type;
  const attrs = { id: network.newStanzaId(), from: group.jid, t, type: word };
  for (const { inbox } of to.companions.values()) inbox.put(stanza('receipt', attrs, participants));
}

/** Forwards the receipt to the clients of the message's sender, if the sender is another account. */
function forward({ client, network }: Connection, { attrs, content }: Stanza): void {
  const { id, to = '', type, participant } = attrs;
  if (type !== undefined && NOT_FOR_THE_SENDER.has(type)) return;
  const sender = network.directory.byJid(participant ?? to);
  if (!(sender instanceof LinkedAccount) || sender === client.account) return;
  const names =
    participant === undefined ? { from: client.lidJid } : { from: to, participant: client.lidJid };
  const node = stanza('receipt', { id, t: seconds(network.now()), type, ...names }, content);
  for (const { inbox } of sender.companions.values()) inbox.put(node);
}
