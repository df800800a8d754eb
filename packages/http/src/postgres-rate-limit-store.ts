import { RateLimiterRes } from '#rate-limiter-flexible';
import { DEFAULT_REQUESTS_PER_MINUTE, WINDOW_SECONDS } from './rate-limit-options.ts';
import type { RateLimitStore } from './rate-limit-options.ts';
import { rateLimitTable } from './rate-limit-table.ts';
import type { PostgresPool } from './rate-limit-table.ts';

export interface PostgresRateLimitOptions {
  /** The same as that of the rate limit. Default 600. */
  readonly requestsPerMinute?: number | undefined;
  /** Where its table is; it has to be there. Default `public`. */
  readonly schema?: string | undefined;
  /** Made when it is missing. Default `trunkline_rate_limits`. */
  readonly table?: string | undefined;
}

/** How often windows that have ended are deleted. */
const CLEAN_EVERY_MS = 10 * 60_000;

/**
 * Counts the requests of each API key in a table of Postgres, for all processes that share it: one statement for each
 * request, and none for those of a key that has used up its minute. Windows go by the database's clock, so that a
 * machine whose clock is wrong neither prolongs nor ends those of others.
 *
 * ```ts
 * createHttpApp(trunkline, { rateLimit: { store: postgresRateLimitStore(new Pool({ connectionString })) } });
 * ```
 *
 * The database need not be there yet. Throws a TypeError when an option is wrong.
 */
export function postgresRateLimitStore(
  pool: PostgresPool,
  options: PostgresRateLimitOptions = {},
): RateLimitStore {
  const { requestsPerMinute: points = DEFAULT_REQUESTS_PER_MINUTE } = options;
  const schema = identifier('schema', options.schema ?? 'public');
  const name = identifier('table', options.table ?? 'trunkline_rate_limits');
  const table = rateLimitTable(pool, `"${schema}"."${name}"`);
  /** When the windows of keys that have used them up end, by `performance.now()`. */
  const usedUp = new Map<string, number>();
  let cleanAt = performance.now() + CLEAN_EVERY_MS;

  const clean = (now: number): void => {
    if (now < cleanAt) return;
    cleanAt = now + CLEAN_EVERY_MS;
    for (const [key, endsAt] of usedUp) if (endsAt <= now) usedUp.delete(key);
    // Another one will succeed: it is not what a request is for.
    table.deleteEnded().catch(() => undefined);
  };

  const count = async (key: string): Promise<RateLimiterRes> => {
    const now = performance.now();
    clean(now);
    const msBlocked = (usedUp.get(key) ?? 0) - now;
    if (msBlocked > 0) return new RateLimiterRes(0, msBlocked, points + 1);
    const { used, msLeft } = await table.count(key);
    if (used >= points) usedUp.set(key, performance.now() + msLeft);
    return new RateLimiterRes(Math.max(0, points - used), msLeft, used);
  };

  return {
    points,
    duration: WINDOW_SECONDS,
    async consume(key) {
      const state = await count(String(key));
      if (state.consumedPoints <= points) return state;
      // oxlint-disable-next-line typescript/only-throw-error -- limiters of the library tell it so
      throw state;
    },
    async get(key) {
      const window = await table.find(String(key));
      return window && new RateLimiterRes(Math.max(0, points - window.used), window.msLeft, window.used);
    },
  };
}

/** As it stands in SQL. */
function identifier(option: string, name: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(name)) return name;
  throw new TypeError(
    `postgresRateLimitStore: the option "${option}" must be small letters, digits and _, up to 63.`,
  );
}
