import type { MessageType } from '../message/message.ts';
import { ok, refuse } from '../result.ts';
import type { Result } from '../result.ts';

/** How long a key is remembered (specification, "POST /messages"). */
export const IDEMPOTENCY_WINDOW_MS: number = 24 * 60 * 60 * 1000;

/**
 * The stored facts about an accepted request. `fingerprint` is a digest of everything that makes two requests the same.
 */
export interface IdempotencyRecord {
  readonly key: string;
  readonly fingerprint: string;
  readonly messageId: string;
  readonly createdAt: number;
}

export type IdempotencyDecision =
  { readonly kind: 'new' } | { readonly kind: 'replay'; readonly messageId: string };

const KEY = /^[\x21-\x7e]{1,255}$/;

export function checkIdempotencyKey(key: string): Result<string> {
  return KEY.test(key)
    ? ok(key)
    : refuse(
        'INVALID_IDEMPOTENCY_KEY',
        'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.',
      );
}

/**
 * If the key was used for the same request, returns the id of the original message; if for another request, refuses. A
 * key is remembered for 24 hours.
 */
export function decideIdempotency(
  record: IdempotencyRecord | null,
  fingerprint: string,
  now: number,
): Result<IdempotencyDecision> {
  if (record === null || isExpired(record, now)) return ok({ kind: 'new' });
  if (record.fingerprint !== fingerprint) {
    return refuse(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used for a different request in the last 24 hours: give each new request a key of its own.',
    );
  }
  return ok({ kind: 'replay', messageId: record.messageId });
}

export function isExpired(record: IdempotencyRecord, now: number): boolean {
  return now - record.createdAt >= IDEMPOTENCY_WINDOW_MS;
}

/** Everything that makes two send requests the same. `to` is normalised, `sha256` is that of the file. */
export interface SendFingerprint {
  readonly instanceId: string;
  readonly to: string;
  readonly type: MessageType;
  readonly text: string | null;
  readonly caption: string | null;
  readonly filename: string | null;
  readonly sha256: string | null;
  readonly replyTo?: string | null;
  readonly voice?: boolean;
}

/**
 * A text that is equal for equal requests. An idempotency record keeps the digest of this text. Fields that were added
 * to requests later are included only if they are given, so that older requests keep their text.
 */
export function canonicalFingerprint(request: SendFingerprint): string {
  const { instanceId, to, type, text, caption, filename, sha256, replyTo = null, voice = false } = request;
  const added = { ...(replyTo !== null && { replyTo }), ...(voice && { voice }) };
  const fields: unknown[] = [instanceId, to, type, text, caption, filename, sha256];
  if (Object.keys(added).length > 0) fields.push(added);
  return JSON.stringify(fields);
}
