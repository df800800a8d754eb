import type { MessageKindAndPayload, MediaType } from '@trunkline/core/spi/gateway';
import { isJidNewsletter, isJidStatusBroadcast, proto, toNumber } from '@whiskeysockets/baileys';
import type { MediaType as WAMediaType } from '@whiskeysockets/baileys';
import { interactiveIn } from './interactive-message.ts';
import { countOf, interactiveKind, momentOf, readKind } from './message-kinds.ts';
import { networkIdOf } from './network-id.ts';
import { openedVote } from './opened-vote.ts';
import { storable, storableLine } from './storable-text.ts';
import { unwrapMessage } from './unwrap-message.ts';

/** A file as its message describes it. */
export interface MediaContent {
  readonly type: MediaType;
  readonly caption: string | null;
  readonly filename: string | null;
  readonly mimeType: string;
  /** The media type for which the file's keys are derived. */
  readonly keyType: WAMediaType;
  readonly source: MediaSource;
}

/** A file's address, key, digest and length. */
export type MediaSource = Pick<
  proto.Message.IImageMessage,
  'directPath' | 'url' | 'mediaKey' | 'fileSha256' | 'fileLength'
>;

interface SaidContent {
  readonly content: { readonly type: 'text'; readonly text: string } | MediaContent;
  /** Absent if the message has no kind beyond its type. */
  readonly detail?: MessageKindAndPayload;
}

export type MessageContent =
  | (SaidContent & {
      readonly kind: 'content';
      /** The network id of the message that this message replies to. */
      readonly replyTo: string | null;
    })
  /** Actions on another message, whose key in `target` is written from the actor's point of view. */
  | { readonly kind: 'reaction'; readonly target: proto.IMessageKey; readonly emoji: string | null }
  /** The answers of a vote in a poll, and when it was given, in epoch milliseconds. */
  | {
      readonly kind: 'vote';
      readonly target: proto.IMessageKey;
      readonly options: readonly string[];
      readonly at: number | null;
    }
  | { readonly kind: 'edit'; readonly target: proto.IMessageKey; readonly text: string }
  | { readonly kind: 'deletion'; readonly target: proto.IMessageKey }
  /** A better copy of the file of the message that `target` names. */
  | { readonly kind: 'media_update'; readonly target: proto.IMessageKey; readonly content: MediaContent }
  /** A change of settings, a vote in an unknown poll…: counted, but not stored. */
  | { readonly kind: 'other'; readonly name: string };

/** An emoji has a few characters, but a sender could send any text. */
const LONGEST_EMOJI = 64;
const LONGEST_TYPE = 200;

/** Reads the content of a message inside any wrappers. Stickers count as images, and voice notes as audio. */
export function readContent(wrapped: proto.IMessage | null | undefined): MessageContent {
  const unwrapped = unwrapMessage(wrapped);
  if (!unwrapped) return { kind: 'other', name: nameOf(wrapped) };
  const { message, context, association } = unwrapped;
  const part = association && readPart(association, message);
  if (part) return part;
  const said = readSaid(message);
  if (said) return { kind: 'content', ...said, replyTo: repliedTo(context) };
  const { reactionMessage, protocolMessage } = message;
  if (reactionMessage?.key?.id) {
    const emoji = storable(reactionMessage.text?.slice(0, LONGEST_EMOJI));
    return { kind: 'reaction', target: reactionMessage.key, emoji };
  }
  const vote = message.pollUpdateMessage && readVote(message.pollUpdateMessage);
  if (vote) return vote;
  return (protocolMessage && readChange(protocolMessage)) ?? { kind: 'other', name: nameOf(message) };
}

const { AssociationType } = proto.MessageAssociation;
/**
 * The association types that make a message part of another one. The pictures of an album are messages of their own.
 */
const PARTS = new Set<number>([
  AssociationType.HD_IMAGE_DUAL_UPLOAD,
  AssociationType.HD_VIDEO_DUAL_UPLOAD,
  AssociationType.HEVC_VIDEO_DUAL_UPLOAD,
  AssociationType.MOTION_PHOTO,
  AssociationType.EVENT_COVER_IMAGE,
  AssociationType.MEDIA_POLL,
  AssociationType.STICKER_ANNOTATION,
]);

/** The association types of better copies of another message's file. */
const BETTER_COPIES = new Set<number>([
  AssociationType.HD_IMAGE_DUAL_UPLOAD,
  AssociationType.HD_VIDEO_DUAL_UPLOAD,
]);

/** Reads a message that is part of another message; null for any other message. */
function readPart(
  { associationType: type, parentMessageKey: target }: proto.IMessageAssociation,
  message: proto.IMessage,
): MessageContent | null {
  if (type === null || type === undefined || !PARTS.has(type) || !target?.id) return null;
  const content = BETTER_COPIES.has(type) ? readMedia(message) : null;
  return content
    ? { kind: 'media_update', target, content }
    : { kind: 'other', name: AssociationType[type] ?? 'part' };
}

function readSaid(message: proto.IMessage): SaidContent | null {
  const text = storable(message.conversation || message.extendedTextMessage?.text);
  if (text) return { content: { type: 'text', text } };
  const media = readMedia(message);
  if (media) return { content: media, ...withDetail(mediaDetail(message)) };
  const interactive = interactiveIn(message);
  const kind = interactive ? interactiveKind(interactive) : readKind(message);
  if (!kind) return null;
  const header = interactive?.header && readMedia(interactive.header);
  const content = header ? { ...header, caption: kind.text } : ({ type: 'text', text: kind.text } as const);
  return { content, ...withDetail(kind.detail) };
}

function withDetail(detail: MessageKindAndPayload | undefined): { readonly detail?: MessageKindAndPayload } {
  return detail ? { detail } : {};
}

/** Reads a vote that `pollSecrets` has opened; null for any other. */
function readVote(update: proto.Message.IPollUpdateMessage): MessageContent | null {
  const { pollCreationMessageKey: target, senderTimestampMs } = update;
  const options = openedVote(update);
  if (!target?.id || !options) return null;
  return {
    kind: 'vote',
    target,
    options,
    at: senderTimestampMs ? momentOf(toNumber(senderTimestampMs)) : null,
  };
}

/** Reads a deletion or an edit, in which a phone can change only the text or caption; null for any other change. */
function readChange({ type, key, editedMessage }: proto.Message.IProtocolMessage): MessageContent | null {
  if (!key?.id) return null;
  if (type === proto.Message.ProtocolMessage.Type.REVOKE) return { kind: 'deletion', target: key };
  if (type !== proto.Message.ProtocolMessage.Type.MESSAGE_EDIT) return null;
  const edited = unwrapMessage(editedMessage);
  const said = edited && readSaid(edited.message);
  if (!said) return null;
  const { content } = said;
  return {
    kind: 'edit',
    target: key,
    text: (content.type === 'text' ? content.text : content.caption) ?? '',
  };
}

function readMedia(message: proto.IMessage): MediaContent | null {
  const { imageMessage, stickerMessage, videoMessage, ptvMessage, audioMessage, documentMessage } = message;
  if (imageMessage) return media('image', 'image', imageMessage);
  if (stickerMessage) return media('image', 'sticker', stickerMessage);
  if (videoMessage ?? ptvMessage) return media('video', 'video', videoMessage ?? ptvMessage);
  if (audioMessage) return media('audio', 'audio', audioMessage);
  if (documentMessage) return media('document', 'document', documentMessage);
  return null;
}

/** The kind of a file, if it is more specific than the type. */
function mediaDetail({
  stickerMessage,
  ptvMessage,
  audioMessage,
}: proto.IMessage): MessageKindAndPayload | undefined {
  if (stickerMessage) {
    const animated = Boolean(stickerMessage.isAnimated || stickerMessage.isLottie);
    return { kind: 'sticker', payload: { animated } };
  }
  if (ptvMessage) return { kind: 'video_note', payload: { seconds: countOf(ptvMessage.seconds) } };
  if (audioMessage?.ptt) return { kind: 'voice', payload: { seconds: countOf(audioMessage.seconds) } };
  return undefined;
}

type AnyMedia = MediaSource & {
  readonly caption?: string | null;
  readonly fileName?: string | null;
  readonly mimetype?: string | null;
};

function media(
  type: MediaType,
  keyType: WAMediaType,
  source: AnyMedia | null | undefined,
): MediaContent | null {
  if (!source) return null;
  return {
    type,
    keyType,
    source,
    caption: storable(source.caption),
    filename: storableLine(source.fileName),
    mimeType: storableLine(source.mimetype, LONGEST_TYPE) ?? 'application/octet-stream',
  };
}

/** The network id of the message replied to; null if there is none, or if it is a status or channel post. */
function repliedTo(context: proto.IContextInfo | null): string | null {
  const elsewhere = context?.remoteJid ?? undefined;
  if (!context?.stanzaId || isJidStatusBroadcast(elsewhere ?? '') || isJidNewsletter(elsewhere)) return null;
  return networkIdOf(context.stanzaId) || null;
}

/** The name of the first field that is set, used only for counting. */
function nameOf(message: proto.IMessage | null | undefined): string {
  const set = Object.entries(message ?? {}).find(
    ([name, value]) => value !== null && value !== undefined && name !== 'messageContextInfo',
  );
  return set?.[0] ?? 'empty';
}
