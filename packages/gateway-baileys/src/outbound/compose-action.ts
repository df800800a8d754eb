import type { OutgoingAction } from '@trunkline/core/spi/gateway';
import { isJidGroup, jidNormalizedUser } from '@whiskeysockets/baileys';
import type { proto } from '@whiskeysockets/baileys';

/** Composes an action in the form that phones understand, as whatsmeow's `BuildReaction` does. */
export function composeAction(
  jid: string,
  { about, deed }: Pick<OutgoingAction, 'about' | 'deed'>,
  now: number,
): proto.IMessage {
  // An empty text takes the reaction back.
  return { reactionMessage: { key: keyOf(jid, about), text: deed.emoji ?? '', senderTimestampMs: now } };
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
