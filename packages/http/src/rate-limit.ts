import { refuse } from '@trunkline/core';
import type { Result } from '@trunkline/core';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import type { CheckedRateLimit, RateLimitStore } from './rate-limit-options.ts';
import { WINDOW_SECONDS } from './rate-limit-options.ts';

/** How long a request waits for the store of its user before it passes uncounted. */
const STORE_DEADLINE_MS = 1_000;

/** Where a key stands in its window, for the headers of the answer. */
interface RateState {
  readonly headers: Readonly<Record<string, string>>;
  /** A refusal when this request was one too many. */
  readonly verdict: Result<unknown>;
}

/**
 * Both answer null when the store failed, and tell `failed` why. Then nothing is known, and the request passes: a limit
 * protects the API, so it must not be what takes it down.
 */
export interface RateLimit {
  /** Counts a request of a key. */
  count(keyId: string, failed: (error: unknown) => void): Promise<RateState | null>;
  /** Where a key stands, for requests that are refused for another reason. */
  look(keyId: string, failed: (error: unknown) => void): Promise<RateState | null>;
}

/** A fixed window of a minute for each API key. */
export function createRateLimit({ requestsPerMinute: limit, store: given }: CheckedRateLimit): RateLimit {
  const store = given ?? new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS });
  const guarded = async (
    failed: (error: unknown) => void,
    answer: () => Promise<RateState>,
  ): Promise<RateState | null> => {
    try {
      // Memory answers at once; a timer for each request would be for nothing.
      return await (given === undefined ? answer() : beforeDeadline(answer()));
    } catch (error) {
      failed(error);
      return null;
    }
  };
  return {
    count: (keyId, failed) => guarded(failed, async () => stateOf(await consume(store, keyId), limit)),
    look: (keyId, failed) =>
      guarded(failed, async () => stateOf({ used: await store.get(keyId), passes: true }, limit)),
  };
}

interface Count {
  /** Null when the key has not been seen in this window. */
  readonly used: Pick<RateLimiterRes, 'remainingPoints' | 'msBeforeNext'> | null;
  readonly passes: boolean;
}

/** The library rejects with the count itself when it is too high, and with an error when the store fails. */
async function consume(store: RateLimitStore, keyId: string): Promise<Count> {
  try {
    return { used: await store.consume(keyId), passes: true };
  } catch (rejected) {
    if (isCount(rejected)) return { used: rejected, passes: false };
    throw rejected;
  }
}

/** Not by its class: the store may come from another copy of the library. */
function isCount(rejected: unknown): rejected is RateLimiterRes {
  return typeof rejected === 'object' && rejected !== null && 'msBeforeNext' in rejected;
}

function stateOf({ used, passes }: Count, limit: number): RateState {
  const msLeft = Math.max(0, used?.msBeforeNext ?? WINDOW_SECONDS * 1000);
  const reset = Math.ceil((Date.now() + msLeft) / 1000); // the limiters of the library tell time by it too
  const retryAfter = Math.max(1, Math.ceil(msLeft / 1000));
  return {
    headers: {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(Math.max(0, used?.remainingPoints ?? limit)),
      'X-RateLimit-Reset': String(reset),
    },
    verdict: passes
      ? { ok: true, value: undefined }
      : refuse('RATE_LIMITED', `An API key may make ${limit} requests a minute.`, {
          retry_after: retryAfter,
          limit,
          reset,
        }),
  };
}

async function beforeDeadline<Answer>(answer: Promise<Answer>): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The store of the rate limit did not answer within ${STORE_DEADLINE_MS} ms.`)),
      STORE_DEADLINE_MS,
    );
  });
  try {
    return await Promise.race([answer, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
