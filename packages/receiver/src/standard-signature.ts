import { hmacHex } from '#hmac';
import type { Content } from './hmac.ts';
import { anyKeyMatches } from './signature.ts';

/**
 * The signature of Standard Webhooks (https://www.standardwebhooks.com, "Symmetric signature"): `v1,` +
 * base64(HMAC-SHA256(key, id + `.` + timestamp + `.` + body)), where the key is the secret, decoded from base64.
 */
export async function createStandardSignature(secret: string, request: StandardContent): Promise<string> {
  const key = standardKey(secret);
  if (key === undefined)
    throw new TypeError(
      'The webhook secret is not base64, as Standard Webhooks asks for: give the whsec_… of the endpoint as it was shown.',
    );
  return PREFIX + toBase64(await hmacHex(key, signedContent(request)));
}

export interface StandardContent {
  readonly id: string;
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

/** Without dots, so that the end of the id in the signed text is unambiguous. */
export function isStandardId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,255}$/.test(text);
}

/** Accepts one signature, in the canonical base64 of 32 bytes. The service sends only one, so lists are refused. */
export function isStandardSignature(text: string): boolean {
  return /^v1,[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(text);
}

/** Whether the secret is base64, as signatures of Standard Webhooks require. */
export function hasStandardKey(secret: string): boolean {
  return standardKey(secret) !== undefined;
}

/** A secret that is not base64 matches nothing. */
export function standardSignatureMatches({
  secrets,
  signature,
  ...request
}: StandardContent & {
  readonly secrets: readonly string[];
  /** Must satisfy `isStandardSignature`. */
  readonly signature: string;
}): boolean | Promise<boolean> {
  const keys = secrets.map(standardKey).filter((key) => key !== undefined);
  return anyKeyMatches(keys, signedContent(request), toHex(signature.slice(PREFIX.length)));
}

const PREFIX = 'v1,';

function signedContent({ id, timestamp, body }: StandardContent): Content {
  return { prefix: `${id}.${timestamp}.`, body };
}

/**
 * Decodes a secret with or without its prefix and padding, in base64 or base64url: older secrets are unpadded
 * base64url. Undefined for other text, parts of which a decoder would skip, and for an empty key, with which anyone
 * could sign.
 */
function standardKey(secret: string): Uint8Array | undefined {
  const text = secret.replace(/^whsec_/, '');
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  const digits = text.replaceAll('=', '').replaceAll('-', '+').replaceAll('_', '/');
  if (digits.length % 4 === 1) return undefined;
  const binary = atob(digits);
  const key = new Uint8Array(binary.length);
  // By index: a sender does this for each webhook, and `Uint8Array.from` takes as long as a digest.
  for (let index = 0; index < binary.length; index += 1) key[index] = binary.charCodeAt(index);
  return key;
}

function toBase64(hex: string): string {
  const bytes = hex.match(/../g) ?? [];
  return btoa(String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16))));
}

function toHex(base64: string): string {
  return Array.from(atob(base64), (character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join(
    '',
  );
}
