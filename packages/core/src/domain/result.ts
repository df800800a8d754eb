import type { ErrorCode } from './error-code.ts';

/**
 * Extra facts of an error: `fields` on VALIDATION_FAILED, `retry_after` (seconds) on codes with status 429, `reason` if
 * a code has several reasons.
 */
export interface ErrorDetails {
  /** The errors of each wrong field, by field name; `body` stands for the whole body. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** How long to wait before the next request, in seconds. */
  readonly retry_after?: number;
  readonly [fact: string]: unknown;
}

/**
 * Why a request is refused, in the terms of the API. A refusal is a value; exceptions are for bugs and broken
 * infrastructure.
 */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: ErrorDetails;
}

export type Result<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly refusal: Refusal };

export function ok<Value>(value: Value): Result<Value> {
  return { ok: true, value };
}

export function refuse(
  code: ErrorCode,
  message: string,
  details?: ErrorDetails,
): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: details ? { code, message, details } : { code, message } };
}
