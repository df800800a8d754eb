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
    return keyReused();
  }
  return ok({ kind: 'replay', messageId: record.messageId });
}

export function keyReused(): Result<never> {
  return refuse(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used for a different request in the last 24 hours: give each new request a key of its own.',
  );
}

export function isExpired(record: IdempotencyRecord, now: number): boolean {
  return now - record.createdAt >= IDEMPOTENCY_WINDOW_MS;
}

/** Everything that makes two send requests the same. */
export interface SendFingerprint {
  readonly instanceId: string;
  /** The normalised recipient. */
  readonly to: string;
  readonly replyTo: string | null;
  /** Epoch milliseconds; null if the message is not scheduled. */
  readonly sendAt: number | null;
  readonly type: string;
  /** The values of the request's own kind, in an order that the kind has fixed. */
  readonly content: readonly (string | boolean | null)[];
}

/** A text that is equal for equal requests. An idempotency record keeps the digest of this text. */
export function canonicalFingerprint({
  instanceId,
  to,
  replyTo,
  sendAt,
  type,
  content,
}: SendFingerprint): string {
  return JSON.stringify([instanceId, to, replyTo, type, content, ...(sendAt === null ? [] : [sendAt])]);
}
