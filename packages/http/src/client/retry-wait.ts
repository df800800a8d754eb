import type { ApiRequest } from './request.ts';

interface Refused {
  readonly status: number;
  /** The error code; null if the call succeeded. */
  readonly code: string | null;
}

/** The codes of a 503 whose request may have been carried out: the database, or a proxy in between, lost the result. */
const UNKNOWN_OUTCOMES: ReadonlySet<string | null> = new Set(['INTERNAL_ERROR', 'UNEXPECTED_RESPONSE']);

/**
 * Whether the request may be repeated. A 429 means that nothing was done, and so does a 503, unless its code is one of
 * UNKNOWN_OUTCOMES. After one of those, only requests that are safe to repeat may be repeated.
 */
export function mayRetry({ status, code }: Refused, { method, headers = {} }: ApiRequest): boolean {
  if (status === 503 && UNKNOWN_OUTCOMES.has(code)) return method === 'GET' || 'Idempotency-Key' in headers;
  return status === 429 || status === 503;
}

/**
 * The milliseconds to wait before a request is repeated: the value of `Retry-After` (RFC 9110, 10.2.3: seconds or a
 * date), or else between half and all of 0.5 s, 1 s, 2 s … 8 s, at random, so that many clients do not return at the
 * same moment.
 */
export function retryWaitMs(
  retryAfter: string | null,
  { retry, now, random }: { readonly retry: number; readonly now: number; readonly random: number },
): number {
  return asked(retryAfter, now) ?? Math.min(500 * 2 ** (retry - 1), 8_000) * (0.5 + random / 2);
}

function asked(retryAfter: string | null, now: number): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Resolves after `ms`, or as soon as the signal is aborted, so the caller must check the signal. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
