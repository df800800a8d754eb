import { decodeMessageNode, isJidGroup, isLidUser, proto } from '@whiskeysockets/baileys';
import type { BinaryNode, WAMessage, WAMessageKey } from '@whiskeysockets/baileys';
import { withoutHosting } from './phone-number.ts';

/** The account that a session belongs to. */
export interface Me {
  readonly id: string;
  readonly lid?: string | undefined;
}

export interface StanzaOrigin {
  readonly attrs: BinaryNode['attrs'];
  /** A business's name, as certified by the network. */
  readonly verifiedName?: string;
}

/**
 * The message of a stanza, without its content. Adds details that Baileys overlooks: the recipient's alternative id if
 * the owner of the number wrote the message, and usernames. Throws if the stanza lacks a message or a sender.
 */
export function messageOf({ attrs, verifiedName }: StanzaOrigin, me: Me): WAMessage {
  const { fullMessage } = decodeMessageNode({ tag: 'message', attrs }, me.id, me.lid ?? '');
  const key = namedAsUsual(fullMessage.key);
  const pushName = attrs['notify'] ?? attrs['display_name'];
  const received: WAMessage = {
    ...fullMessage,
    key,
    ...(pushName !== undefined && { pushName }),
    ...(verifiedName !== undefined && { verifiedBizName: verifiedName }),
  };
  if (isJidGroup(key.remoteJid ?? undefined) || key.participant) {
    const username = attrs['participant_username'] ?? attrs['username'];
    return { ...received, key: { ...key, ...(username !== undefined && { participantUsername: username }) } };
  }
  if (!key.fromMe) {
    const username = attrs['username'];
    return { ...received, key: { ...key, ...(username !== undefined && { remoteJidUsername: username }) } };
  }
  const remoteJidAlt = isLidUser(key.remoteJid ?? undefined)
    ? (attrs['peer_recipient_pn'] ?? attrs['recipient_pn'])
    : (attrs['peer_recipient_lid'] ?? attrs['recipient_lid']);
  const { remoteJidAlt: _ofSender, ...rest } = key;
  return { ...received, key: { ...rest, ...(remoteJidAlt !== undefined && { remoteJidAlt }) } };
}

/** As whatsmeow's `parseMessageSource` (`message.go`) does, and Baileys after it has decrypted the message. */
function namedAsUsual(key: WAMessageKey): WAMessageKey {
  const { remoteJid, remoteJidAlt, participant, participantAlt } = key;
  return {
    ...key,
    ...(remoteJid !== undefined && { remoteJid: withoutHosting(remoteJid) }),
    ...(remoteJidAlt !== undefined && { remoteJidAlt: withoutHosting(remoteJidAlt) }),
    ...(participant !== undefined && { participant: withoutHosting(participant) }),
    ...(participantAlt !== undefined && { participantAlt: withoutHosting(participantAlt) }),
  };
}

export function originOf(stanza: BinaryNode): StanzaOrigin {
  const verifiedName = verifiedNameIn(stanza);
  return { attrs: stanza.attrs, ...(verifiedName !== null && { verifiedName }) };
}

function verifiedNameIn(stanza: BinaryNode): string | null {
  const certificate = childrenOf(stanza).find(({ tag }) => tag === 'verified_name')?.content;
  if (!(certificate instanceof Uint8Array)) return null;
  try {
    const { details } = proto.VerifiedNameCertificate.decode(certificate);
    return (details && proto.VerifiedNameCertificate.Details.decode(details).verifiedName) || null;
  } catch {
    return null;
  }
}

export function childrenOf({ content }: BinaryNode): readonly BinaryNode[] {
  return Array.isArray(content) ? content : [];
}
