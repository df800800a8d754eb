import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';

interface Seal {
  readonly purpose: 'Message Edit' | 'Poll Vote';
  /** The id, the author and the secret of the message that the content is about. */
  readonly id: string;
  readonly author: string;
  readonly secret: Uint8Array;
  readonly sender: string;
}

/** Encrypts with the secret of an earlier message, as `encryptMsgSecret` in whatsmeow's `msgsecret.go` does. */
export function seal(
  content: Uint8Array,
  { purpose, id, author, secret, sender }: Seal,
): { readonly encIv: Uint8Array; readonly encPayload: Uint8Array } {
  const info = Buffer.from(`${id}${author}${sender}${purpose}`);
  const key = Buffer.from(hkdfSync('sha256', secret, new Uint8Array(0), info, 32));
  const encIv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, encIv);
  if (purpose === 'Poll Vote') cipher.setAAD(Buffer.from(`${id}\0${sender}`));
  const encPayload = Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  return { encIv, encPayload };
}
