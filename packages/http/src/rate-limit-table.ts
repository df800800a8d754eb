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
  // One that would last longer than it can is from before the database's clock was set back.
  const isOver = `(kept.ends_at <= now() OR kept.ends_at > now() + ${length})`;
  const state = 'points, extract(epoch FROM ends_at - now())::float8 * 1000 AS ms_left';
  return {
    async count(key) {
      const text = `INSERT INTO ${table} AS kept (key, points, ends_at) VALUES ($1, 1, now() + ${length})
        ON CONFLICT (key) DO UPDATE SET
          points = CASE WHEN ${isOver} THEN 1 ELSE kept.points + 1 END,
          ends_at = CASE WHEN ${isOver} THEN excluded.ends_at ELSE kept.ends_at END
        RETURNING ${state}`;
      const { rows } = await query({ text, values: [key] });
      return windowOf(rows[0]);
    },
    async find(key) {
      const text = `SELECT ${state} FROM ${table} AS kept WHERE key = $1 AND NOT ${isOver}`;
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
/** Two processes made it at the same time: "unique violation" in the catalogue, and "duplicate table". */
const IS_THERE_MEANWHILE: readonly unknown[] = ['23505', '42P07'];

/** Makes the table when a statement finds that it is missing. */
function withTable(pool: PostgresPool, table: string): PostgresPool {
  const make = async (): Promise<void> => {
    // Not logged: after a crash of the database everybody begins a new minute.
    const text = `CREATE UNLOGGED TABLE IF NOT EXISTS ${table} (
      key text PRIMARY KEY,
      points integer NOT NULL,
      ends_at timestamptz NOT NULL
    )`;
    try {
      await pool.query({ text });
    } catch (error) {
      if (!IS_THERE_MEANWHILE.includes(codeOf(error))) throw error;
    }
  };
  return {
    async query(statement) {
      try {
        return await pool.query(statement);
      } catch (error) {
        if (codeOf(error) !== UNDEFINED_TABLE) throw error;
      }
      await make();
      return pool.query(statement);
    },
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
