import { proto } from '@whiskeysockets/baileys';
import { sealFile } from '../media/media-cipher.ts';
import type { MediaHost } from '../media/media-host.ts';
import { bareBytes } from '../signal/plaintext.ts';
import type { MediaKind } from './content.ts';
import { ballot } from './secret-vote.ts';

interface OutgoingMedia {
  readonly type: MediaKind;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly caption?: string;
  readonly filename?: string;
  readonly voiceNote?: boolean;
  /** The id of the sender's message that this file completes, and the kind of association. */
  readonly completes?: { readonly id: string; readonly as: AssociationName };
}

type AssociationName = keyof typeof proto.MessageAssociation.AssociationType;

/** The messages that a phone can send; a string is a text. */
export type Outgoing =
  | string
  | OutgoingMedia
  | { readonly type: 'reaction'; readonly text: string; readonly to: proto.IMessageKey }
  /** A vote in the poll `to`, whose secret the phone has. */
  | {
      readonly type: 'vote';
      readonly to: proto.IMessageKey;
      readonly secret: Uint8Array;
      readonly options: readonly string[];
      /** Epoch milliseconds, by the clock of the phone. */
      readonly at: number;
    }
  | { readonly type: 'edit'; readonly id: string; readonly text: string }
  /**
   * Deletes the sender's own message, or, if the sender is a group admin, a message of the member with the jid
   * `author`.
   */
  | { readonly type: 'delete'; readonly id: string; readonly author?: string }
  | {
      readonly type: 'reply';
      readonly text: string;
      readonly to: { readonly id: string; readonly author: string };
    }
  /** Any other message of the protocol: stickers, wrapped messages, … */
  | { readonly type: 'raw'; readonly message: proto.IMessage }
  /** Bytes that are encrypted as they are, instead of a message. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array };

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

/** Returns the protobuf message. A file is encrypted and uploaded first. */
export async function toProto(outgoing: Outgoing, media: MediaHost): Promise<proto.IMessage> {
  if (typeof outgoing === 'string') return { conversation: outgoing };
  switch (outgoing.type) {
    case 'raw':
      return outgoing.message;
    case 'bytes':
      return bareBytes(outgoing.bytes);
    case 'reaction':
      return { reactionMessage: { key: outgoing.to, text: outgoing.text } };
    case 'vote':
      return ballot(outgoing);
    case 'edit': {
      const editedMessage = { conversation: outgoing.text };
      const protocolMessage = { key: { id: outgoing.id, fromMe: true }, type: MESSAGE_EDIT, editedMessage };
      return { editedMessage: { message: { protocolMessage } } };
    }
    case 'delete': {
      const { id, author } = outgoing;
      const key = author === undefined ? { id, fromMe: true } : { id, fromMe: false, participant: author };
      return { protocolMessage: { key, type: REVOKE } };
    }
    case 'reply': {
      const { id: stanzaId, author: participant } = outgoing.to;
      const contextInfo = { stanzaId, participant, quotedMessage: { conversation: '…' } };
      return { extendedTextMessage: { text: outgoing.text, contextInfo } };
    }
    default:
      return associated(outgoing, await mediaMessage(outgoing, media));
  }
}

/** Wraps a message that belongs to another message, as phones do. */
function associated({ completes }: OutgoingMedia, message: proto.IMessage): proto.IMessage {
  if (!completes) return message;
  const associationType = proto.MessageAssociation.AssociationType[completes.as];
  const parentMessageKey = { id: completes.id, fromMe: true };
  const messageContextInfo = { messageAssociation: { associationType, parentMessageKey } };
  return { associatedChildMessage: { message: { ...message, messageContextInfo } }, messageContextInfo };
}

async function mediaMessage(file: OutgoingMedia, media: MediaHost): Promise<proto.IMessage> {
  const { sealed, reference } = await sealFile(file.type, file.bytes);
  const place = media.putFromPhone(Buffer.from(reference.fileEncSha256).toString('base64url'), sealed);
  const common = { ...reference, ...place, mimetype: file.mimeType };
  const caption = file.caption === undefined ? {} : { caption: file.caption };
  switch (file.type) {
    case 'image':
      return { imageMessage: { ...common, ...caption } };
    case 'video':
      return { videoMessage: { ...common, ...caption } };
    case 'audio':
      return { audioMessage: { ...common, ptt: file.voiceNote ?? false } };
    case 'document':
      return {
        documentMessage: {
          ...common,
          ...caption,
          ...(file.filename === undefined ? {} : { fileName: file.filename }),
        },
      };
  }
}
