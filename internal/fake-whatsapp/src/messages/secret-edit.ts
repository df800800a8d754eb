import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { jidNormalizedUser, proto } from '@whiskeysockets/baileys';
import type { SentFromPhone } from '../directory/contact.ts';

const { MESSAGE_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType;

/** Gives a message the secret with which its author can later edit it, as phones do. */
export function withSecret(message: proto.IMessage): proto.IMessage {
  const messageContextInfo = { messageSecret: randomBytes(32), ...message.messageContextInfo };
  return { ...message, messageContextInfo };
}

/**
 * Encrypts an edit with the secret of the edited message, as `encryptMsgSecret` in whatsmeow's `msgsecret.go` does.
 * Null if the original has no secret.
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
  const info = Buffer.concat(
    [id, author, jidNormalizedUser(editor), 'Message Edit'].map((part) => Buffer.from(part)),
  );
  const key = Buffer.from(hkdfSync('sha256', secret, new Uint8Array(0), info, 32));
  const encIv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, encIv);
  const sealed = [cipher.update(proto.Message.encode(edit).finish()), cipher.final(), cipher.getAuthTag()];
  const targetMessageKey = { id, fromMe: true };
  const secretEncType = MESSAGE_EDIT;
  return {
    secretEncryptedMessage: { targetMessageKey, encPayload: Buffer.concat(sealed), encIv, secretEncType },
  };
}

/** The id of the message that an edit of `toProto` changes; null for any other message. */
export function editedBy({ editedMessage }: proto.IMessage): string | null {
  return editedMessage?.message?.protocolMessage?.key?.id ?? null;
}
