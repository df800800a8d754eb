import type { OutgoingAction } from '@trunkline/core/spi/gateway';
import { isJidGroup, jidNormalizedUser, proto } from '@whiskeysockets/baileys';

const { Type } = proto.Message.ProtocolMessage;

/** An action whose text has its mentions in the form of WhatsApp. A read mark is a receipt, not a message (`markRead`). */
type Deed = Exclude<OutgoingAction['deed'], { kind: 'read_mark' }> &
  Pick<proto.Message.IExtendedTextMessage, 'contextInfo'>;

/**
 * Composes an action in the form that phones understand, as `BuildReaction`, `BuildEdit` and `BuildRevoke` of whatsmeow
 * do.
 */
export function composeAction(
  jid: string,
  { about, deed }: Pick<OutgoingAction, 'about'> & { readonly deed: Deed },
  now: number,
): proto.IMessage {
  const key = keyOf(jid, about);
  switch (deed.kind) {
    case 'reaction':
      // An empty text takes the reaction back.
      return { reactionMessage: { key, text: deed.emoji ?? '', senderTimestampMs: now } };
    case 'edit': {
      const edit = { key, type: Type.MESSAGE_EDIT, editedMessage: editedContent(deed), timestampMs: now };
      return { editedMessage: { message: { protocolMessage: edit } } };
    }
    case 'deletion':
      return { protocolMessage: { key, type: Type.REVOKE } };
  }
}

/** The new content: phones keep the file of a message, and read only the caption. */
function editedContent({ type, text, contextInfo }: Extract<Deed, { kind: 'edit' }>): proto.IMessage {
  const captioned = { caption: text, ...(contextInfo && { contextInfo }) };
  switch (type) {
    case 'text':
      return contextInfo ? { extendedTextMessage: { text, contextInfo } } : { conversation: text };
    case 'document':
      return { documentWithCaptionMessage: { message: { documentMessage: captioned } } };
    case 'image':
    case 'video':
      return { [`${type}Message`]: captioned };
    case 'audio':
      throw new Error('WhatsApp has no captions of audio messages.');
  }
}

/** The key of a message. Only in a group does it name the author. */
function keyOf(jid: string, { networkId, senderId }: OutgoingAction['about']): proto.IMessageKey {
  const isTheirs = senderId !== null && isJidGroup(jid);
  return {
    remoteJid: jid,
    id: networkId,
    fromMe: senderId === null,
    ...(isTheirs && { participant: jidNormalizedUser(senderId) }),
  };
}

/** The attribute by which stanzas name a change of an earlier message, as whatsmeow's `getEditAttribute` does. */
export function editAttribute(content: proto.IMessage): string | null {
  const { reactionMessage, editedMessage, protocolMessage } = content;
  if (editedMessage?.message?.protocolMessage?.type === Type.MESSAGE_EDIT) return '1';
  if (protocolMessage?.type === Type.REVOKE) return '7';
  return reactionMessage && !reactionMessage.text ? '7' : null;
}
