import { randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import { PHONE } from '../directory/contact.ts';
import type { AddressingMode, Contact } from '../directory/contact.ts';
import type { GroupChat } from '../directory/group-chat.ts';
import type { Companion, LinkedAccount } from '../directory/linked-account.ts';
import { editedBy, sealEdit, withSecret } from './secret-edit.ts';
import { sealVote } from './secret-vote.ts';
import type { Ciphertext, SignalPeer } from '../signal/signal-peer.ts';

interface Envelope {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly t: string;
  readonly group: GroupChat | undefined;
  readonly addressing: AddressingMode;
  readonly device: number;
  readonly broadcastList?: string | undefined;
}

export interface PhoneMessage {
  readonly from: Contact;
  readonly to: LinkedAccount;
  readonly message: proto.IMessage;
  readonly envelope: Envelope;
  readonly undecryptable: boolean;
  readonly respondsToRetry: boolean;
}

/** Makes a message id as phones do. */
export function newMessageId(): string {
  return `3A${randomBytes(9).toString('hex').toUpperCase()}`;
}

/** Encrypts a person's message for each client of the account, and puts it into the client's inbox. */
export async function sendFromPhone(sending: PhoneMessage): Promise<void> {
  const { from, to, envelope, respondsToRetry } = sending;
  const attrs = attributes(sending);
  const message = asPhonesWrite(from, sending.message, attrs);
  from.sent.set(envelope.id, { envelope: attrs, message, respondsToRetry, device: envelope.device });
  for (const companion of to.reachable) {
    companion.inbox.put(stanza('message', attrs, await encrypted({ ...sending, message }, companion)));
  }
}

/**
 * Adds a secret to a message, and encrypts an edit or a vote with the secret of the message that it is about. An edit of a message
 * that this phone did not send, or sent without a secret, has the form that phones used before.
 */
export function asPhonesWrite(
  { sent }: Contact,
  message: proto.IMessage,
  names: Readonly<Record<string, string>>,
): proto.IMessage {
  const writer = names['participant'] ?? names['from'] ?? '';
  if (message.pollUpdateMessage) return sealVote(message, writer);
  const id = editedBy(message);
  if (id === null) return withSecret(message);
  const original = sent.get(id);
  const edit = message.editedMessage?.message;
  return (original && edit && sealEdit(edit, { id, original, editor: writer })) ?? message;
}

/** Encrypts a message again, only for the client that could not read it. */
export async function sendAgain(from: Contact, companion: Companion, retry: { id: string; count: string }) {
  const sent = from.sent.get(retry.id);
  if (sent === undefined || !sent.respondsToRetry) return;
  const { envelope, message, device } = sent;
  const peer = from.deviceOf(device);
  const group = envelope['from']?.endsWith('@g.us') ? envelope['from'] : undefined;
  const senderKey =
    group === undefined ? {} : await senderKeyMessage(peer, group, envelope['participant'] ?? '');
  const ciphertext = await encryptFor(peer, companion, { ...message, ...senderKey });
  const enc = encNode(ciphertext, { count: retry.count });
  companion.inbox.put(stanza('message', envelope, [enc]));
}

export function encryptFor(
  from: SignalPeer,
  companion: Companion,
  message: proto.IMessage,
): Promise<Ciphertext> {
  return from.encrypt(companion.jid, message, () => companion.shelf.take());
}

export function encNode({ type, ciphertext }: Ciphertext, more: { readonly count?: string } = {}): Stanza {
  return stanza('enc', { v: '2', type, ...more }, ciphertext);
}

/** The stanza's names for the sender; a hidden number never appears. */
function attributes({ from, message, envelope }: PhoneMessage): Readonly<Record<string, string>> {
  const { id, t, group, addressing, device, broadcastList } = envelope;
  const isMedia =
    message.imageMessage ?? message.videoMessage ?? message.audioMessage ?? message.documentMessage;
  const mode = from.hidesNumber ? 'lid' : addressing;
  const sender = from.jidIn(mode, device === PHONE ? undefined : device);
  const other = mode === 'pn' ? { lid: from.lidJid } : { pn: from.hidesNumber ? undefined : from.jid };
  const chat = group?.jid ?? (broadcastList === undefined ? undefined : `${broadcastList}@broadcast`);
  const names =
    chat === undefined
      ? { from: sender, sender_lid: other.lid, sender_pn: other.pn, username: from.username }
      : {
          from: chat,
          participant: sender,
          addressing_mode: mode,
          participant_lid: other.lid,
          participant_pn: other.pn,
          participant_username: from.username,
        };
  return stanza('message', { id, t, type: isMedia ? 'media' : 'text', notify: from.name, ...names }).attrs;
}

async function encrypted(sending: PhoneMessage, companion: Companion): Promise<Stanza[]> {
  const { from, message, envelope, undecryptable } = sending;
  const { group, device } = envelope;
  const peer = from.deviceOf(device);
  const damaged = (bytes: Uint8Array) => (undecryptable ? withBrokenMac(bytes) : bytes);
  const certified = certificateOf(from);
  if (group === undefined) {
    const { type, ciphertext } = await encryptFor(peer, companion, message);
    return [...certified, encNode({ type, ciphertext: damaged(ciphertext) })];
  }
  const author = attributes(sending)['participant'] ?? '';
  const senderKey = await encryptFor(peer, companion, await senderKeyMessage(peer, group.jid, author));
  const { ciphertext } = await peer.encryptForGroup(group.jid, author, message);
  return [...certified, encNode(senderKey), stanza('enc', { v: '2', type: 'skmsg' }, damaged(ciphertext))];
}

/** The name of a business, which the server certifies. */
function certificateOf({ verifiedName }: Contact): readonly Stanza[] {
  if (verifiedName === undefined) return [];
  const details = proto.VerifiedNameCertificate.Details.encode({ verifiedName }).finish();
  return [stanza('verified_name', { v: '1' }, proto.VerifiedNameCertificate.encode({ details }).finish())];
}

async function senderKeyMessage(from: SignalPeer, group: string, author: string): Promise<proto.IMessage> {
  const key = await from.senderKeyFor(group, author);
  return { senderKeyDistributionMessage: { groupId: group, axolotlSenderKeyDistributionMessage: key } };
}

/** Changes the eighth byte from the end, which is part of the MAC or of the signature in every kind of ciphertext. */
function withBrokenMac(bytes: Uint8Array): Buffer {
  const broken = Buffer.from(bytes);
  const position = broken.length - 8;
  broken[position] = (broken[position] ?? 0) ^ 1;
  return broken;
}
