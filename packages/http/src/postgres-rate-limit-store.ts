import { RateLimiterRes } from '#rate-limiter-flexible';
import { DEFAULT_REQUESTS_PER_MINUTE, WINDOW_SECONDS } from './rate-limit-options.ts';
import type { RateLimitStore } from './rate-limit-options.ts';

/** The options of `postgresRateLimitStore`. */
export interface PostgresRateLimitOptions {
  /** The limit, which must be the same as in `rateLimit`. Default 600. */
  readonly requestsPerMinute?: number | undefined;
  /** An existing schema, for the store's table. Default `public`. */
  readonly schema?: string | undefined;
  /** The name of the store's table, which is created if it does not exist. Default `trunkline_rate_limits`. */
  readonly table?: string | undefined;
}

/** How often windows that have ended are deleted. */
const CLEAN_EVERY_MS = 10 * 60_000;

/**
 * Counts the requests of each API key in a table of Postgres, for all processes that share it. Each request takes one
 * statement, or none while this process knows that its key has used up the minute. Windows use the database's clock, so
 * a machine with a wrong clock neither prolongs nor ends the windows of others.
 *
 * ```ts
 * createHttpApp(trunkline, { rateLimit: { store: postgresRateLimitStore(new Pool({ connectionString })) } });
 * ```
 *
 * The database need not be reachable yet. Throws a TypeError if an option is wrong.
 */
export function postgresRateLimitStore(
  pool: PostgresQueryable,
  options: PostgresRateLimitOptions = {},
): RateLimitStore {
  const { requestsPerMinute: points = DEFAULT_REQUESTS_PER_MINUTE } = options;
  const schema = identifier('schema', options.schema ?? 'public');
  const name = identifier('table', options.table ?? 'trunkline_rate_limits');
  const table = rateLimitTable(pool, `"${schema}"."${name}"`);
  /** When the used-up window of each key ends, by `performance.now()`. */
  const usedUp = new Map<string, number>();
  let cleanAt = performance.now() + CLEAN_EVERY_MS;

  const clean = (now: number): void => {
    if (now < cleanAt) return;
    cleanAt = now + CLEAN_EVERY_MS;
    for (const [key, endsAt] of usedUp) if (endsAt <= now) usedUp.delete(key);
    // Ignore a failure, because a later deletion catches up.
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
      // oxlint-disable-next-line typescript/only-throw-error -- the library's limiters report it this way
      throw state;
    },
    async get(key) {
      const window = await table.find(String(key));
      return window && new RateLimiterRes(Math.max(0, points - window.used), window.msLeft, window.used);
    },
  };
}

/** Returns the name if it is safe between quotes in SQL, and throws a TypeError if not. */
function identifier(option: string, name: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(name)) return name;
  throw new TypeError(
    `postgresRateLimitStore: the option "${option}" is wrong: it must be 1 to 63 small letters, digits and _, and must not begin with a digit.`,
  );
}

/** The part of a Postgres client that the store needs, such as a `Pool` of `pg`. */
export interface PostgresQueryable {
  /** Runs one statement, as `pool.query` of `pg` does. */
  query(statement: {
    /** The statement, with placeholders such as `$1`. */
    text: string;
    /** The values of the placeholders, in order. */
    values?: unknown[];
  }): Promise<{
    /** The rows of the result, as objects by column name. */
    readonly rows: readonly unknown[];
  }>;
}

interface Window {
  /** Requests in the window so far. */
  readonly used: number;
  readonly msLeft: number;
}

interface RateLimitTable {
  /** Counts a request in the key's window, or in a new window. */
  count(key: string): Promise<Window>;
  find(key: string): Promise<Window | null>;
  deleteEnded(): Promise<void>;
}

/** Stores windows of a minute in a table of Postgres, by the database's clock. */
function rateLimitTable(pool: PostgresQueryable, table: string): RateLimitTable {
  const { query } = withTable(pool, table);
  const length = `interval '${WINDOW_SECONDS} seconds'`;
  // Not now(), the time at which the statement began: if the statement waited for the row, a window begun in the
  // meantime would seem to be in the future. A window that ends in more than a minute was begun before the clock was
  // set back.
  const isOver = `(kept.ends_at <= clock.at OR kept.ends_at > clock.at + ${length})`;
  const clock = '(SELECT clock_timestamp() AS at) AS clock';
  const state = 'points, extract(epoch FROM ends_at - clock_timestamp())::float8 * 1000 AS ms_left';
  return {
    async count(key) {
      const text = `INSERT INTO ${table} AS kept (key, points, ends_at) VALUES ($1, 1, clock_timestamp() + ${length})
        ON CONFLICT (key) DO UPDATE SET (points, ends_at) = (
          SELECT CASE WHEN ${isOver} THEN 1 ELSE kept.points + 1 END,
            CASE WHEN ${isOver} THEN clock.at + ${length} ELSE kept.ends_at END
          FROM ${clock}
        )
        RETURNING ${state}`;
      const { rows } = await query({ text, values: [key] });
      return windowOf(rows[0]);
    },
    async find(key) {
      const text = `SELECT ${state} FROM ${table} AS kept, ${clock} WHERE key = $1 AND NOT ${isOver}`;
      const { rows } = await query({ text, values: [key] });
      return rows.length === 0 ? null : windowOf(rows[0]);
    },
    async deleteEnded() {
      await query({ text: `DELETE FROM ${table} WHERE ends_at <= now()` });
    },
  };
}

function windowOf(row: unknown): Window {
  const { points, ms_left: msLeft } = row as { points: number; ms_left: number }; // `state` names these columns
  return { used: points, msLeft };
}

const UNDEFINED_TABLE = '42P01';

/** Creates the table when a statement finds that it is missing. */
function withTable(pool: PostgresQueryable, table: string): PostgresQueryable {
  // UNLOGGED is enough: if a crash of the database empties the table, every key only begins a new minute.
  const make = `CREATE UNLOGGED TABLE IF NOT EXISTS ${table} (
    key text PRIMARY KEY,
    points integer NOT NULL,
    ends_at timestamptz NOT NULL
  )`;
  return {
    async query(statement) {
      try {
        return await pool.query(statement);
      } catch (error) {
        if (codeOf(error) !== UNDEFINED_TABLE) throw error;
      }
      // If many processes create the table concurrently, all but one may fail, with different codes of PostgreSQL. Their
      // errors matter only if the table is still missing.
      const [made] = await Promise.allSettled([pool.query({ text: make })]);
      try {
        return await pool.query(statement);
      } catch (error) {
        throw codeOf(error) === UNDEFINED_TABLE && made.status === 'rejected' ? made.reason : error;
      }
    },
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
