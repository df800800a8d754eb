import { createDecipheriv, hkdfSync } from 'node:crypto';
import { jidNormalizedUser } from '@whiskeysockets/baileys';
import { withoutHosting } from './phone-number.ts';

/** The purposes for which apps encrypt with the secret of an earlier message, as whatsmeow's `msgsecret.go` lists them. */
type Purpose = 'Message Edit' | 'Poll Vote';

/** The purposes whose ciphertext is bound to the message and the person by additional data. */
const BOUND: ReadonlySet<Purpose> = new Set(['Poll Vote']);

export interface SecretEnvelope {
  readonly purpose: Purpose;
  /** The earlier message's secret and the id that its author's phone gave it. */
  readonly secret: Uint8Array;
  readonly messageId: string;
  readonly iv: Uint8Array;
  readonly payload: Uint8Array;
}

const TAG_BYTES = 16;

/**
 * Decrypts what an app has encrypted with the secret of an earlier message. Each phone chooses whether it names people
 * by number or hidden id, so all combinations are tried: the authentication tag shows which one is right. Null if none
 * is.
 */
export function openSecretEnvelope(
  envelope: SecretEnvelope,
  { authors, senders }: { readonly authors: readonly string[]; readonly senders: readonly string[] },
): Uint8Array | null {
  for (const sender of senders) {
    for (const author of authors) {
      const opened = tryToOpen(envelope, { author, sender });
      if (opened) return opened;
    }
  }
  return null;
}

function tryToOpen(
  { purpose, secret, messageId, iv, payload }: SecretEnvelope,
  { author, sender }: { readonly author: string; readonly sender: string },
): Uint8Array | null {
  const info = Buffer.from(`${messageId}${author}${sender}${purpose}`);
  const key = new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), info, 32));
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    if (BOUND.has(purpose)) decipher.setAAD(Buffer.from(`${messageId}\0${sender}`));
    decipher.setAuthTag(payload.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}

/** The form of a JID in which apps derive keys from it: without the device, and on the usual server. */
export function nameForKeys(jid: string): string {
  return jidNormalizedUser(withoutHosting(jid));
}
