import { randomBytes } from 'node:crypto';
import { aesDecryptWithIV, aesEncrypWithIV, getMediaKeys, hmacSign, sha256 } from '@whiskeysockets/baileys';
import type { MediaKind } from '../messages/content.ts';

const MAC_LENGTH = 10;

/** The kind decides how the file's keys are derived. */
type FileKind = MediaKind | 'sticker' | 'md-msg-hist' | 'md-app-state';

/** The fields of a media message about its file. */
export interface FileReference {
  readonly mediaKey: Uint8Array;
  readonly fileSha256: Uint8Array;
  readonly fileEncSha256: Uint8Array;
  readonly fileLength: number;
}

/** Encrypts a file as a phone does before it uploads it. */
export async function sealFile(
  kind: FileKind,
  bytes: Uint8Array,
): Promise<{ readonly sealed: Buffer; readonly reference: FileReference }> {
  const mediaKey = randomBytes(32);
  const { iv, cipherKey, macKey } = await keysOf(kind, mediaKey);
  const ciphertext = aesEncrypWithIV(Buffer.from(bytes), cipherKey, Buffer.from(iv));
  const sealed = Buffer.concat([ciphertext, macOf(macKey, iv, ciphertext)]);
  return {
    sealed,
    reference: {
      mediaKey,
      fileSha256: sha256(Buffer.from(bytes)),
      fileEncSha256: sha256(sealed),
      fileLength: bytes.length,
    },
  };
}

/** Returns the decrypted file. Throws if a hash, the MAC or the length does not match the message. */
export async function openFile(kind: FileKind, sealed: Buffer, reference: FileReference): Promise<Buffer> {
  const { iv, cipherKey, macKey } = await keysOf(kind, reference.mediaKey);
  const ciphertext = sealed.subarray(0, -MAC_LENGTH);
  check(sha256(sealed).equals(reference.fileEncSha256), 'hash of the encrypted file');
  check(sealed.subarray(-MAC_LENGTH).equals(macOf(macKey, iv, ciphertext)), 'MAC');
  const bytes = aesDecryptWithIV(ciphertext, cipherKey, Buffer.from(iv));
  check(sha256(bytes).equals(reference.fileSha256), 'hash of the file');
  check(bytes.length === reference.fileLength, 'length');
  return bytes;
}

async function keysOf(kind: FileKind, mediaKey: Uint8Array) {
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, kind);
  if (macKey === undefined) throw new Error('no MAC key');
  return { iv, cipherKey: Buffer.from(cipherKey), macKey: Buffer.from(macKey) };
}

function macOf(macKey: Buffer, iv: Uint8Array, ciphertext: Uint8Array): Buffer {
  return hmacSign(Buffer.concat([iv, ciphertext]), macKey).subarray(0, MAC_LENGTH);
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`media file: wrong ${what}`);
}
