/** The primitives behind stored keys and sealed secrets. */
export interface Crypto {
  /** The SHA-256 of these bytes, or of the UTF-8 bytes of this text, in lower-case hex. */
  sha256(data: string | Uint8Array): string;
  /** A SHA-256 of bytes that arrive in chunks. */
  createSha256(): { update(chunk: Uint8Array): void; hex(): string };
  /** AES-256-GCM (NIST SP 800-38D) with a 12-byte nonce; returns the ciphertext followed by the tag. */
  encrypt(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, associatedData: Uint8Array): Uint8Array;
  /** Throws unless the key, the nonce and the associated data are those that `sealed` was encrypted with. */
  decrypt(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, associatedData: Uint8Array): Uint8Array;
  /** HKDF-SHA256 (RFC 5869), 32 bytes. */
  deriveKey(secret: string, purpose: string): Uint8Array;
}
