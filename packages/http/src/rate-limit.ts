import { refuse } from '@trunkline/core/spi/http';
import type { Result } from '@trunkline/core/spi/http';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import { memoryRateLimitStore } from './memory-rate-limit-store.ts';
import type { CheckedRateLimit, RateLimitStore } from './rate-limit-options.ts';
import { WINDOW_SECONDS } from './rate-limit-options.ts';

const WINDOW_MS = WINDOW_SECONDS * 1000;
/** How long a request waits for a shared store before it is counted in memory. */
const STORE_DEADLINE_MS = 1_000;
/** How long requests are counted in memory before a request tries the store again. */
const STORE_REST_MS = 5_000;

interface RateState {
  readonly headers: Readonly<Record<string, string>>;
  /** A refusal if this request exceeded the limit. */
  readonly verdict: Result<unknown>;
}

/** `count` and `look` call `failed` with the reason if a shared store fails. */
export interface RateLimit {
  count(keyId: string, failed: (error: unknown) => void): Promise<RateState>;
  /** Returns the state of a key without counting, for requests that are refused for another reason. */
  look(keyId: string, failed: (error: unknown) => void): Promise<RateState>;
}

/**
 * A fixed window of a minute for each API key. While a shared store fails, this process counts for itself, because the
 * limit protects the API, and so must neither take the API down nor slow down each request.
 */
export function createRateLimit({ requestsPerMinute: limit, store }: CheckedRateLimit): RateLimit {
  const memory = memoryRateLimitStore(limit);
  /** When the pause of the store ends, by `performance.now()`; 0 while the store responds. */
  let restsUntil = 0;

  const insured = async (
    failed: (error: unknown) => void,
    ask: (limiter: RateLimitStore) => Promise<RateState>,
  ): Promise<RateState> => {
    // Use `performance.now()`, because the machine's clock may be set back, which would prolong the store's pause.
    const now = performance.now();
    if (store === undefined || now < restsUntil) return ask(memory);
    // One request at a time checks whether the store is back.
    if (restsUntil > 0) restsUntil = now + STORE_REST_MS;
    try {
      const state = await beforeDeadline(ask(store));
      restsUntil = 0;
      return state;
    } catch (error) {
      restsUntil = performance.now() + STORE_REST_MS;
      failed(error);
      return ask(memory);
    }
  };
  return {
    count: (keyId, failed) => insured(failed, async (from) => stateOf(await consume(from, keyId), limit)),
    look: (keyId, failed) =>
      insured(failed, async (from) => stateOf({ used: await from.get(keyId), passes: true }, limit)),
  };
}

interface Count {
  /** Null if the key made no requests in the current window. */
  readonly used: Pick<RateLimiterRes, 'remainingPoints' | 'msBeforeNext'> | null;
  readonly passes: boolean;
}

/** The library rejects with the count if it is too high, and with an error if the store fails. */
async function consume(store: RateLimitStore, keyId: string): Promise<Count> {
  try {
    return { used: await store.consume(keyId), passes: true };
  } catch (rejected) {
    if (isCount(rejected)) return { used: rejected, passes: false };
    throw rejected;
  }
}

/** Checks the shape, not the class, because the store may come from another copy of the library. */
function isCount(rejected: unknown): rejected is RateLimiterRes {
  return typeof rejected === 'object' && rejected !== null && 'msBeforeNext' in rejected;
}

function stateOf({ used, passes }: Count, limit: number): RateState {
  // Another process may have begun the window with a clock that is ahead of this process's clock.
  const msLeft = Math.min(WINDOW_MS, Math.max(0, used?.msBeforeNext ?? WINDOW_MS));
  const reset = Math.ceil((Date.now() + msLeft) / 1000); // in Unix time, for clients
  const retryAfter = Math.max(1, Math.ceil(msLeft / 1000));
  return {
    headers: {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(Math.max(0, used?.remainingPoints ?? limit)),
      'X-RateLimit-Reset': String(reset),
    },
    verdict: passes
      ? { ok: true, value: undefined }
      : refuse(
          'RATE_LIMITED',
          `An API key may make ${limit} requests a minute: repeat the request in ${retryAfter} s.`,
          {
            retry_after: retryAfter,
            limit,
            reset,
          },
        ),
  };
}

async function beforeDeadline<Value>(call: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The store of the rate limit did not respond within ${STORE_DEADLINE_MS} ms.`)),
      STORE_DEADLINE_MS,
    );
  });
  try {
    return await Promise.race([call, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
