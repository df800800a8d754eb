import { proto } from '@whiskeysockets/baileys';
import type { Connection } from '../connection/connection.ts';
import { isIdentityValid } from '../pairing/device-identity.ts';
import { bytesOf, child, children, seconds, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import { PHONE } from '../directory/contact.ts';
import type { Contact } from '../directory/contact.ts';
import type { Content } from './content.ts';
import { decryptCopies } from './decrypt-copies.ts';
import type { Copy } from './decrypt-copies.ts';
import type { SentMessage } from '../chronicle/sent-log.ts';
import { fromProto, quotedIn } from './from-proto.ts';
import { checkTokens } from './message-tokens.ts';
import { relay } from './relay.ts';
import { askForRetry } from './retry.ts';
import { serverRefusal } from './server-refusal.ts';
import { timerOf } from './timer.ts';

/**
 * Handles a message from a client: the readers' phones decrypt the message, and it is recorded and acknowledged. In a
 * large group, the acknowledgement does not wait for the phones.
 */
export async function onMessage(connection: Connection, node: Stanza): Promise<void> {
  const { network, client } = connection;
  const { directory, disturbances } = network;
  const isForOwnPhone = node.attrs['category'] === 'peer';
  const disturbance = isForOwnPhone ? undefined : disturbances.takeNextMessage(client.account.phoneNumber);
  if (disturbance !== undefined) network.noteDisturbed(client.account, 'message');
  if (disturbance === 'lose') return;
  const refusal = isForOwnPhone ? undefined : (disturbance ?? serverRefusal(connection, node));

  checkIdentity(connection, node);
  checkTokens(connection, node);
  const open = async (): Promise<void> => {
    const copies = await decryptCopies(node, client, directory);
    if (isForOwnPhone) return;
    const content = await contentOf(connection, copies);
    checkPoll(connection, node, content);
    const quotes = quotedBy(connection, copies);
    note(connection, node, { content, quotes, copies, refused: refusal ?? null });
    if (refusal === undefined) await deliver(connection, node, { content, copies });
  };
  // Decrypt first, because tests may check the message once it is acknowledged. For a large group, that would take
  // seconds.
  const isLarge = (directory.findGroup(node.attrs['to'] ?? '')?.members.size ?? 0) > LARGE_GROUP;
  if (isLarge) void open().catch((error: unknown) => network.chronicle.problems.push(String(error)));
  else await open();
  const ack = { class: 'message', id: node.attrs['id'], from: node.attrs['to'], t: seconds(network.now()) };
  const error = refusal === undefined ? undefined : String(refusal);
  disturbances.ack(() => connection.send(stanza('ack', { ...ack, error })));
}

/** The acknowledgement of a message to more members than this does not wait for their phones. */
const LARGE_GROUP = 50;

interface Opened {
  readonly content: Content;
  readonly copies: readonly Copy[];
}

/** Checks that a message that starts a session proves its client's identity. */
function checkIdentity({ client, network }: Connection, node: Stanza): void {
  const encs = [
    ...children(node, 'enc'),
    ...children(child(node, 'participants')).flatMap((to) => children(to)),
  ];
  if (!encs.some(({ attrs }) => attrs['type'] === 'pkmsg')) return;
  const valid =
    child(node, 'device-identity') !== undefined &&
    isIdentityValid(client, proto.ADVSignedDeviceIdentity.decode(bytesOf(node, 'device-identity')));
  if (!valid) network.chronicle.problems.push(`message ${node.attrs['id'] ?? ''} without a valid identity`);
}

const SECRET_BYTES = 32;

/** Checks that a poll is named as one, as whatsmeow's `send.go` does, and has the secret with which people vote. */
function checkPoll({ network }: Connection, node: Stanza, content: Content): void {
  if (content.type !== 'poll') return;
  const isNamed = node.attrs['type'] === 'poll' && child(node, 'meta')?.attrs['polltype'] === 'creation';
  if (!isNamed || content.secret.length !== SECRET_BYTES)
    network.chronicle.problems.push(`poll ${node.attrs['id'] ?? ''} without its name or secret`);
}

/** The message as decrypted by a device of someone other than the sender. */
function readMessage({ client }: Connection, copies: readonly Copy[]): proto.Message | undefined {
  return copies.find(({ reader, message }) => reader !== client.account && message !== undefined)?.message;
}

function quotedBy(connection: Connection, copies: readonly Copy[]): SentMessage['quotes'] {
  const message = readMessage(connection, copies);
  return message === undefined ? null : quotedIn(message);
}

async function contentOf(connection: Connection, copies: readonly Copy[]): Promise<Content> {
  const { network } = connection;
  const message = readMessage(connection, copies);
  if (message === undefined) return { type: 'unreadable' };
  try {
    return await fromProto(message, network.media);
  } catch (error) {
    network.chronicle.problems.push(String(error));
    return { type: 'unreadable' };
  }
}

function note(
  connection: Connection,
  node: Stanza,
  opened: Opened & Pick<SentMessage, 'quotes' | 'refused'>,
): void {
  const { client, network } = connection;
  const { id = '', to = '' } = node.attrs;
  network.chronicle.sent.add({
    id,
    from: client.account.phoneNumber,
    to,
    toPhoneNumber: network.directory.byJid(to)?.phoneNumber ?? null,
    content: opened.content,
    quotes: opened.quotes,
    readableBy: readersOf(connection, opened.copies).map(({ phoneNumber }) => phoneNumber),
    readableOn: devicesOf(connection, opened.copies),
    edit: node.attrs['edit'] ?? null,
    timer: timerOf(opened.copies.find(({ message }) => message !== undefined)?.message),
    refused: opened.refused,
    receivedAt: network.now(),
  });
}

/** Delivers the message to people who can read it; devices that cannot read it ask for it again. */
async function deliver(connection: Connection, node: Stanza, { content, copies }: Opened): Promise<void> {
  const { client, network } = connection;
  const { id = '', to = '' } = node.attrs;
  const group = network.directory.findGroup(to)?.jid ?? null;
  for (const reader of readersOf(connection, copies)) {
    reader.inbox.set(id, { id, from: client.account.phoneNumber, group, content });
  }
  for (const { reader, device, message } of copies) {
    if (message !== undefined || (device === PHONE && reader.inbox.has(id))) continue;
    await askForRetry(network, client, { id, reader, device, group });
  }
  relay(network, client, node);
}

function readersOf({ client }: Connection, copies: readonly Copy[]): readonly Contact[] {
  const readable = copies.filter(({ message }) => message !== undefined);
  const readers = readable.map(({ reader }) => reader).filter((reader) => reader !== client.account);
  return [...new Set(readers)];
}

function devicesOf({ client }: Connection, copies: readonly Copy[]): readonly string[] {
  const readable = copies.filter(({ reader, message }) => message !== undefined && reader !== client.account);
  const devices = readable.map(({ reader, device }) => `${reader.phoneNumber}:${String(device)}`);
  return [...new Set(devices)];
}
