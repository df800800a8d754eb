import { ok, refuse } from '../result.ts';
import type { Result } from '../result.ts';

/** How long a key is remembered (specification, "POST /messages"). */
export const IDEMPOTENCY_WINDOW_MS: number = 24 * 60 * 60 * 1000;

/** What is remembered of an accepted request. `fingerprint` is a digest of everything that makes two requests the same. */
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

/** Same key and same request: the original message. Same key, another request: refused. Forgotten after 24 hours. */
export function decideIdempotency(
  record: IdempotencyRecord | null,
  fingerprint: string,
  now: number,
): Result<IdempotencyDecision> {
  if (record === null || isForgotten(record, now)) return ok({ kind: 'new' });
  if (record.fingerprint !== fingerprint) {
    return refuse(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used for a different request in the last 24 hours.',
    );
  }
  return ok({ kind: 'replay', messageId: record.messageId });
}

export function isForgotten(record: IdempotencyRecord, now: number): boolean {
  return now - record.createdAt >= IDEMPOTENCY_WINDOW_MS;
}
