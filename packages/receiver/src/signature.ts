import { hmacHex, hmacMatches } from '#hmac';
import type { Content, Key } from './hmac.ts';

/**
 * The service's signature (specification, "Signature"): `v1=` + hex(HMAC-SHA256(secret, timestamp header + `.` +
 * body)).
 */
export async function createSignature(
  secret: string,
  timestamp: string,
  body: string | Uint8Array,
): Promise<string> {
  return PREFIX + (await hmacHex(secret, signedContent(timestamp, body)));
}

/** Check this before decoding: hex decoders truncate or skip invalid characters. */
export function isSignature(text: string): boolean {
  return /^v1=[0-9a-fA-F]{64}$/.test(text);
}

export interface SignedRequest {
  readonly secrets: readonly string[];
  readonly timestamp: string;
  readonly body: Uint8Array;
  /** Must satisfy `isSignature`. */
  readonly signature: string;
}

/**
 * Tries all secrets, so that the duration does not show which one matched. Returns no promise if the HMAC is
 * synchronous, because awaiting takes a noticeable part of a verification.
 */
export function signatureMatches({
  secrets,
  timestamp,
  body,
  signature,
}: SignedRequest): boolean | Promise<boolean> {
  return anyKeyMatches(secrets, signedContent(timestamp, body), signature.slice(PREFIX.length));
}

export function anyKeyMatches(
  keys: readonly Key[],
  content: Content,
  hex: string,
): boolean | Promise<boolean> {
  const matches = keys.map((key) => hmacMatches(key, content, hex));
  return matches.every((match) => typeof match === 'boolean') ? matches.includes(true) : anyOf(matches);
}

async function anyOf(matches: readonly (boolean | Promise<boolean>)[]): Promise<boolean> {
  const results = await Promise.all(matches.map((match) => Promise.resolve(match)));
  return results.includes(true);
}

const PREFIX = 'v1=';

function signedContent(timestamp: string, body: string | Uint8Array): Content {
  return { prefix: `${timestamp}.`, body };
}
