import { WINDOW_SECONDS } from './rate-limit-options.ts';

/** What is needed of a `Pool` of `pg`. */
export interface PostgresPool {
  query(statement: { text: string; values?: unknown[] }): Promise<{ readonly rows: readonly unknown[] }>;
}

/** How a key stands. */
interface Window {
  /** Requests in it so far. */
  readonly used: number;
  readonly msLeft: number;
}

export interface RateLimitTable {
  /** Counts a request in the key's window, or in a new one. */
  count(key: string): Promise<Window>;
  find(key: string): Promise<Window | null>;
  deleteEnded(): Promise<void>;
}

/** Windows of a minute in a table of Postgres, by the database's clock. */
export function rateLimitTable(pool: PostgresPool, table: string): RateLimitTable {
  const { query } = withTable(pool, table);
  const length = `interval '${WINDOW_SECONDS} seconds'`;
  // Not now(), which is when the statement began: one that has waited for the row would take a window that another
  // statement began meanwhile for one of the future. A window lasts longer than it can if the clock was set back.
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
  const { points, ms_left: msLeft } = row as { points: number; ms_left: number }; // as the statements above have it
  return { used: points, msLeft };
}

const UNDEFINED_TABLE = '42P01';

/** Makes the table when a statement finds that it is missing. */
function withTable(pool: PostgresPool, table: string): PostgresPool {
  // Not logged: after a crash of the database everybody begins a new minute.
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
      // Where many processes make it at the same time, all but one may fail, each with another code of PostgreSQL's:
      // an error of theirs matters only if the table is still missing.
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
