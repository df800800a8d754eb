import { withDeadline } from '@trunkline/core/spi/gateway';
import type {
  Clock,
  MessageError,
  OutgoingContent,
  OutgoingMessage,
  QuotedMessage,
  SendOutcome,
} from '@trunkline/core/spi/gateway';
import { generateWAMessage, isLidUser } from '@whiskeysockets/baileys';
import type { AnyMessageContent, WAMessage, WASocket, proto } from '@whiskeysockets/baileys';
import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import { Readable } from 'node:stream';
import { isNoMember } from '../inbound/groups.ts';
import type { SentMessages } from '../session/sent-messages.ts';
import { ownKeys } from '../session/signal-keys.ts';
import { briefly } from '../socket/status-code.ts';
import type { Acks } from './acks.ts';
import { findRecipient } from './recipients.ts';
import type { RecipientCache } from './recipients.ts';

/** Longer than the network ever takes to respond to a message. */
const ACK_MS = 20_000;

export interface Outbox {
  readonly socket: WASocket;
  readonly logger: ILogger;
  readonly clock: Clock;
  readonly acks: Acks;
  readonly sent: SentMessages;
  readonly recipients: RecipientCache;
}

const NOT_ON_WHATSAPP = 'The recipient is not on WhatsApp: check the number.';

/** Sends one message and returns what the network said to it: that it was written is not that it was taken. */
export async function sendMessage(outbox: Outbox, message: OutgoingMessage): Promise<SendOutcome> {
  if (message.content.type === 'audio' && message.content.caption) {
    return refused(
      'caption_not_supported',
      'WhatsApp shows no caption with an audio message: send it without one.',
    );
  }
  try {
    const jid = await addressOf(outbox, message);
    if (jid === null) return refused('recipient_not_on_whatsapp', NOT_ON_WHATSAPP);
    return await relay(outbox, { jid, networkId: message.networkId }, await compose(outbox, jid, message));
  } catch (error) {
    if (message.isGroup && isNoMember(error)) {
      return refused(
        'group_unknown',
        'The number of this instance is no longer in the group: have it added again.',
      );
    }
    return { kind: 'unknown', reason: briefly(error) };
  }
}

/** Null where the number of the recipient is not on WhatsApp. */
async function addressOf(
  { socket, recipients }: Outbox,
  { isGroup, to, contactNetworkId }: OutgoingMessage,
): Promise<string | null> {
  if (isGroup) return to;
  return contactNetworkId ?? findRecipient(socket, recipients, to);
}

async function relay(
  { socket, clock, acks, sent }: Outbox,
  { jid, networkId }: { readonly jid: string; readonly networkId: string },
  content: proto.IMessage,
): Promise<SendOutcome> {
  const acked = acks.expect(networkId);
  try {
    // One transaction with the keys that the message is encrypted with.
    await socket.authState.keys.transaction(async () => {
      await socket.authState.keys.set(ownKeys(sent.record(networkId, content)));
      await socket.relayMessage(jid, content, { messageId: networkId });
    }, socket.user?.id ?? '');
    const { error } = await withDeadline(
      clock,
      { what: "WhatsApp's acknowledgement of a message", ms: ACK_MS },
      acked,
    );
    return error === null ? { kind: 'accepted' } : refusalOf(error);
  } finally {
    acks.forget(networkId);
  }
}

/** An upload that does not move for this long is given up. */
const UPLOAD_STALLED_MS = 30_000;

/** Makes the message that phones understand; uploads its file, as it is read, encrypted. */
async function compose(
  { socket, logger }: { readonly socket: WASocket; readonly logger: ILogger },
  jid: string,
  { networkId, content, replyTo }: OutgoingMessage,
): Promise<proto.IMessage> {
  const { id = '', lid } = socket.user ?? {};
  const { message } = await generateWAMessage(jid, await networkContent(content), {
    // Whoever wrote the quoted message is named as this chat names people.
    userJid: (isLidUser(jid) && lid) || id,
    ...(replyTo && { quoted: quotedMessage(jid, replyTo) }),
    messageId: networkId,
    upload: socket.waUploadToServer,
    mediaUploadTimeoutMs: UPLOAD_STALLED_MS,
    logger,
  });
  if (!message) throw new Error('The message is empty.');
  return message;
}

/** The message that another one replies to, as far as it shows there. */
function quotedMessage(jid: string, { networkId, senderId, text }: QuotedMessage): WAMessage {
  const participant = senderId ?? undefined;
  return {
    key: { remoteJid: jid, id: networkId, fromMe: senderId === null, ...(participant && { participant }) },
    message: { conversation: text },
  };
}

/** Phones play a voice message as one only if its type names the codec. */
const VOICE_TYPE = 'audio/ogg; codecs=opus';

/** Never an address to fetch: neither a preview of a link in the text nor a file by its URL. */
async function networkContent(content: OutgoingContent): Promise<AnyMessageContent> {
  if (content.type === 'text') return { text: content.text, linkPreview: null };
  const { file } = content;
  const { mimeType: mimetype, filename: fileName } = file;
  const caption = content.caption === null ? {} : { caption: content.caption };
  const media = { stream: Readable.fromWeb(await file.open()) };
  switch (content.type) {
    case 'image':
      return { image: media, mimetype, ...caption };
    case 'video':
      // Else Baileys would run ffmpeg on the file for a thumbnail.
      return { video: media, mimetype, jpegThumbnail: '', ...caption };
    case 'audio': {
      if (!content.voice) return { audio: media, mimetype };
      const isOgg = mimetype.startsWith('audio/ogg');
      return { audio: media, mimetype: isOgg ? VOICE_TYPE : mimetype, ptt: true };
    }
    case 'document':
      return { document: media, mimetype, fileName, ...caption };
  }
}

/** Errors that the network reports for a message. It will not take the same message later either. */
const REFUSALS: Readonly<Record<string, MessageError>> = {
  '401': { code: 'not_allowed', message: 'WhatsApp does not let the number of this instance write there.' },
  '403': { code: 'not_allowed', message: 'WhatsApp does not let the number of this instance write there.' },
  '404': { code: 'recipient_not_on_whatsapp', message: NOT_ON_WHATSAPP },
  '406': {
    code: 'message_not_acceptable',
    message: 'WhatsApp does not accept this message: change it before you send it again.',
  },
  // Sending it again would count as another attempt to reach a stranger, and make the restriction worse.
  '463': {
    code: 'account_restricted',
    message:
      'WhatsApp does not let the number of this instance write to people it has not written to before: wait until it does.',
  },
  '479': {
    code: 'message_not_acceptable',
    message: 'WhatsApp does not accept this message: change it before you send it again.',
  },
};

/** The network's own troubles: the message may be taken later. */
const PASSING = new Set(['408', '429', '500', '502', '503', '504']);

/** Reads the error code of an ack. */
function refusalOf(code: string): SendOutcome {
  if (PASSING.has(code)) return { kind: 'unknown', reason: `WhatsApp responded with error ${code}` };
  const error = REFUSALS[code] ?? {
    code: 'network_refused',
    message: `WhatsApp refused the message (${code}).`,
  };
  return { kind: 'refused', error };
}

function refused(code: string, message: string): SendOutcome {
  return { kind: 'refused', error: { code, message } };
}
