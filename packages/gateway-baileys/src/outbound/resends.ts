import type { Clock } from '@trunkline/core/spi/gateway';
import {
  areJidsSameUser,
  encodeSignedDeviceIdentity,
  encodeWAMessage,
  extractE2ESessionFromRetryReceipt,
  getBinaryNodeChild,
  getBinaryNodeChildUInt,
  isJidGroup,
  isLidUser,
} from '@whiskeysockets/baileys';
import type { BinaryNode, WASocket, proto } from '@whiskeysockets/baileys';
import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import QuickLRU from 'quick-lru';
import { isMe, learnedLid } from '../inbound/contact-report.ts';
import { createOrderedWork } from '../inbound/ordered-work.ts';
import { userOf } from '../inbound/phone-number.ts';
import type { SentMessage, SentMessages } from '../session/sent-messages.ts';
import { interceptStanzas } from '../socket/intercepted-stanzas.ts';
import type { Pauses } from '../socket/socket-life.ts';
import { ackInTime } from './acks.ts';
import type { Acks } from './acks.ts';
import { editAttribute } from './compose-action.ts';
import { kindNodes, pollIn } from './kind-content.ts';
import { queryKeys, startSessions } from './key-bundles.ts';
import { isForNow } from './outcomes.ts';

/** How many copies of a message each device gets. Phones ask as often. */
const MOST_COPIES = 5;
/** How many devices are answered at the same time. */
const CONCURRENT = 4;
/** The waits before further attempts if the network limits messages or queries for keys: a device does not ask again. */
const AGAIN_AFTER_MS = [5_000, 30_000];

/** How many copies were sent, by message and device. */
export type CopyCounts = QuickLRU<string, number>;

export function copyCounts(): CopyCounts {
  return new QuickLRU({ maxSize: 5_000 });
}

interface Resending {
  readonly socket: WASocket;
  readonly clock: Clock;
  readonly acks: Acks;
  readonly sent: SentMessages;
  readonly copies: CopyCounts;
  /** Waits that end with the connection. */
  readonly pauses: Pauses;
  readonly logger: ILogger;
}

/**
 * Sends a message again to a device that could not read it: one copy, for that device only, as whatsmeow's `retry.go`
 * does. Baileys would send a group's message to all members again.
 */
export function answerRetries(resending: Resending): void {
  const { socket, pauses, logger } = resending;
  const work = createOrderedWork(CONCURRENT);
  work.release();
  const answer = async (receipt: BinaryNode, attempt: number): Promise<void> => {
    const request = requestIn(receipt, socket);
    try {
      if (request) await resend(resending, request);
    } catch (error) {
      logger.warn({ error }, 'a message could not be sent again to a device that asked for it');
      const waitMs = AGAIN_AFTER_MS[attempt];
      if (waitMs !== undefined) {
        void pauses.pause(waitMs).then(() => pauses.isOver() || run(receipt, attempt + 1));
        return;
      }
    }
    // If the connection has ended, the network sends the receipt again.
    await socket.sendMessageAck(receipt).catch(() => undefined);
  };
  const run = (receipt: BinaryNode, attempt: number): void =>
    work.run(receipt.attrs['participant'] ?? receipt.attrs['from'] ?? '', () => answer(receipt, attempt));
  interceptStanzas(socket, 'receipt', (receipt) => {
    if (receipt.attrs['type'] !== 'retry') return false;
    run(receipt, 0);
    return true;
  });
}

/** A device's request for a message that it could not read. */
interface Request {
  readonly receipt: BinaryNode;
  readonly networkId: string;
  readonly device: string;
  /** Whether the device belongs to the owner of the number. */
  readonly isOwn: boolean;
  /** The chat of the message, as the device names it. */
  readonly chat: string;
  /** How often the device has asked, by its own count. */
  readonly count: number;
}

/** Null if the receipt does not say what is asked for. */
function requestIn(receipt: BinaryNode, socket: WASocket): Request | null {
  const { from = '', participant, recipient } = receipt.attrs;
  const retry = getBinaryNodeChild(receipt, 'retry');
  const networkId = retry?.attrs['id'];
  const device = participant ?? from;
  const isOwn = isMe(socket, device);
  const chat = isOwn && !isJidGroup(from) ? recipient : from;
  if (!networkId || !chat || userOf(device) === null) return null;
  return { receipt, networkId, device, isOwn, chat, count: Number(retry.attrs['count']) || 1 };
}

async function resend(resending: Resending, request: Request): Promise<void> {
  const { socket, clock, acks, sent, copies } = resending;
  const message = await sent.find(request.networkId);
  if (!message || !(await isInChat(socket, message, request.chat))) return;
  const name = `${request.networkId} ${request.device}`;
  const copy = (copies.get(name) ?? 0) + 1;
  if (copy > MOST_COPIES) return;

  await prepareSession(socket, request);
  copies.set(name, copy);
  const stanza = await copyFor(socket, request, message);
  const ack = acks.expect(request.networkId);
  try {
    await socket.sendNode(stanza);
    const { error } = await ackInTime(clock, ack);
    if (error !== null && isForNow(error))
      throw new Error(`WhatsApp responded to a copy with error ${error}`);
  } finally {
    ack.forget();
  }
}

/** Checks the chat, because a stranger who has learned the id of a message could ask for it in another chat. */
async function isInChat(socket: WASocket, { jid }: SentMessage, chat: string): Promise<boolean> {
  if (isJidGroup(jid) || isJidGroup(chat)) return jid === chat;
  return areJidsSameUser(jid, chat) || (await lidOf(socket, jid)) === (await lidOf(socket, chat));
}

async function lidOf(socket: WASocket, jid: string): Promise<string | null> {
  const lid = isLidUser(jid) ? jid : await learnedLid(socket, jid);
  return userOf(lid ?? jid);
}

/**
 * Starts a new session with the device, with the keys in the receipt, or with the network's, unless there is a session
 * that the device has not complained about before.
 */
async function prepareSession(socket: WASocket, { receipt, device, count }: Request): Promise<void> {
  const { signalRepository } = socket;
  const bundle = extractE2ESessionFromRetryReceipt(receipt);
  if (bundle) {
    const { preKey, ...rest } = bundle;
    const session = preKey ? { ...rest, preKey } : rest;
    return signalRepository.injectE2ESession({ jid: device, session });
  }
  const known = await signalRepository.getSessionInfo(device);
  // An app that was installed again has a new registration.
  const registration = getBinaryNodeChildUInt(receipt, 'registration', 4);
  const isCurrent = registration === undefined || known?.registrationId === registration;
  if (known && isCurrent && count < 2) return;
  await startSessions(socket, await queryKeys(socket, [device]));
}

async function copyFor(
  socket: WASocket,
  { receipt, networkId, device, isOwn, chat, count }: Request,
  { jid, content }: SentMessage,
): Promise<BinaryNode> {
  const { signalRepository, authState } = socket;
  const { type, mediatype } = kindOf(content);
  const edit = editAttribute(content);
  const message = isJidGroup(chat)
    ? await withSenderKey(socket, chat, content)
    : isOwn
      ? { deviceSentMessage: { destinationJid: jid, message: content } }
      : content;
  const encrypted = await signalRepository.encryptMessage({ jid: device, data: encodeWAMessage(message) });
  const { from = '', participant, recipient } = receipt.attrs;
  const t = getBinaryNodeChild(receipt, 'retry')?.attrs['t'];
  const { account } = authState.creds;
  return {
    tag: 'message',
    attrs: {
      id: networkId,
      to: from,
      type,
      ...(edit !== null && { edit }),
      ...(t !== undefined && { t }),
      ...(participant !== undefined && { participant }),
      ...(recipient !== undefined && { recipient }),
      ...(!isJidGroup(chat) && { device_fanout: 'false' }),
    },
    content: [
      {
        tag: 'enc',
        attrs: { v: '2', type: encrypted.type, count: String(count), ...(mediatype && { mediatype }) },
        content: encrypted.ciphertext,
      },
      ...(encrypted.type === 'pkmsg' && account
        ? [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) }]
        : []),
      ...kindNodes(content),
    ],
  };
}

/** Adds the key to the group's messages, which the device may lack, too. */
async function withSenderKey(
  { signalRepository, user }: WASocket,
  group: string,
  content: proto.IMessage,
): Promise<proto.IMessage> {
  for (const meId of [user?.lid, user?.id]) {
    if (!meId || !(await signalRepository.hasSenderKey({ group, meId }))) continue;
    const key = await signalRepository.getSenderKeyDistributionMessage({ group, meId });
    const senderKey = { groupId: group, axolotlSenderKeyDistributionMessage: key };
    return { ...content, senderKeyDistributionMessage: senderKey };
  }
  return content;
}

/** The kinds of message that this gateway sends, as stanzas name them. */
function kindOf(content: proto.IMessage): { readonly type: string; readonly mediatype: string | null } {
  if (content.reactionMessage) return { type: 'reaction', mediatype: null };
  if (pollIn(content)) return { type: 'poll', mediatype: null };
  const mediatype = mediatypeOf(content);
  return { type: mediatype === null ? 'text' : 'media', mediatype };
}

function mediatypeOf(content: proto.IMessage): string | null {
  if (content.imageMessage) return 'image';
  if (content.videoMessage) return 'video';
  if (content.audioMessage) return content.audioMessage.ptt ? 'ptt' : 'audio';
  if (content.documentMessage) return 'document';
  if (content.stickerMessage) return 'sticker';
  if (content.contactMessage) return 'vcard';
  return content.contactsArrayMessage ? 'contact_array' : null;
}
