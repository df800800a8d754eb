import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import * as z from 'zod';

/** The length of a window. A store must have it as `duration`. */
export const WINDOW_SECONDS = 60;

/** A limiter of `rate-limiter-flexible`. */
export type RateLimitStore = Pick<RateLimiterAbstract, 'points' | 'duration' | 'consume' | 'get'>;

/** The limit on the requests of each API key. */
export interface RateLimitOptions {
  /** How many requests an API key may make in a minute. Default 600. */
  readonly requestsPerMinute?: number | undefined;
  /**
   * The store that counts requests, by default the memory of this process. Several processes that serve one API share a
   * store in Postgres (`postgresRateLimitStore`) or in Redis, with the same limit:
   *
   * ```ts
   * new RateLimiterRedis({ storeClient: redis, points: 600, duration: 60, inMemoryBlockOnConsumed: 600 })
   * ```
   *
   * If the store fails or takes longer than a second, each process counts for itself and `onError` is called. One
   * request every five seconds checks whether the store is back.
   */
  readonly store?: RateLimitStore | undefined;
}

export interface CheckedRateLimit {
  readonly requestsPerMinute: number;
  readonly store?: RateLimitStore | undefined;
}

export const DEFAULT_REQUESTS_PER_MINUTE = 600;
const DEFAULT: CheckedRateLimit = { requestsPerMinute: DEFAULT_REQUESTS_PER_MINUTE };

const on: z.ZodType<CheckedRateLimit, unknown> = z
  .object({
    requestsPerMinute: z.int().min(1).default(DEFAULT.requestsPerMinute),
    store: z.custom<RateLimitStore>(isStore, 'Must be a limiter of rate-limiter-flexible.').optional(),
  })
  .refine(
    ({ requestsPerMinute, store }) =>
      store === undefined || (store.points === requestsPerMinute && store.duration === WINDOW_SECONDS),
    {
      path: ['store'],
      error: `Must be made with points: requestsPerMinute and with duration: ${WINDOW_SECONDS}.`,
    },
  );

export const rateLimitOption: z.ZodType<CheckedRateLimit | false, unknown> = z
  .union([z.literal(false), on], {
    error:
      'Must be false or { requestsPerMinute: a whole number from 1, store: a limiter of rate-limiter-flexible }.',
  })
  .default(DEFAULT);

function isStore(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'consume' in value &&
    typeof value.consume === 'function' &&
    'get' in value &&
    typeof value.get === 'function'
  );
}
