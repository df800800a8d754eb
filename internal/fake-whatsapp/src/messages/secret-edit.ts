import { randomBytes } from 'node:crypto';
import { jidNormalizedUser, proto } from '@whiskeysockets/baileys';
import type { SentFromPhone } from '../directory/contact.ts';
import { seal } from './secret-seal.ts';

const { MESSAGE_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType;

/** Gives a message the secret with which its author can later edit it, as phones do. */
export function withSecret(message: proto.IMessage): proto.IMessage {
  const messageContextInfo = { messageSecret: randomBytes(32), ...message.messageContextInfo };
  return { ...message, messageContextInfo };
}

/**
 * Encrypts an edit with the secret of the edited message. Null if the original has no secret.
 */
export function sealEdit(
  edit: proto.IMessage,
  {
    id,
    original,
    editor,
  }: { readonly id: string; readonly original: SentFromPhone; readonly editor: string },
): proto.IMessage | null {
  const { envelope, message } = original;
  const secret = message.messageContextInfo?.messageSecret;
  if (!secret) return null;
  const author = jidNormalizedUser(envelope['participant'] ?? envelope['from']);
  const people = { author, sender: jidNormalizedUser(editor) };
  const { encIv, encPayload } = seal(proto.Message.encode(edit).finish(), {
    purpose: 'Message Edit',
    id,
    secret,
    ...people,
  });
  const targetMessageKey = { id, fromMe: true };
  const secretEncType = MESSAGE_EDIT;
  return {
    secretEncryptedMessage: { targetMessageKey, encPayload, encIv, secretEncType },
  };
}

/** The id of the message that an edit of `toProto` changes; null for any other message. */
export function editedBy({ editedMessage }: proto.IMessage): string | null {
  return editedMessage?.message?.protocolMessage?.key?.id ?? null;
}
