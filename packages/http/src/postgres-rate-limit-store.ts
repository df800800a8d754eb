import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { DEFAULT_REQUESTS_PER_MINUTE, WINDOW_SECONDS } from './rate-limit-options.ts';
import type { RateLimitStore } from './rate-limit-options.ts';

/** What is needed of a `Pool` of `pg`. */
export interface PostgresPool {
  query(statement: { text: string; values?: unknown[]; name?: string }): Promise<unknown>;
}

export interface PostgresRateLimitOptions {
  /** The same as that of the rate limit. Default 600. */
  readonly requestsPerMinute?: number | undefined;
  /** Where its table is; it has to be there. Default `public`. */
  readonly schema?: string | undefined;
  /** Made when it is missing. Default `trunkline_rate_limits`. */
  readonly table?: string | undefined;
}

/**
 * Counts the requests of each API key in a table of Postgres, for all processes that share it: one statement for each
 * request, and none for those of a key that has used up its minute.
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
  const schemaName = identifier('schema', options.schema ?? 'public');
  const tableName = identifier('table', options.table ?? 'trunkline_rate_limits');
  return new RateLimiterPostgres({
    storeClient: withTable(pool, `"${schemaName}"."${tableName}"`),
    storeType: 'pool',
    schemaName,
    tableName,
    // The library would make it at once, and end the process where it cannot.
    tableCreated: true,
    keyPrefix: '',
    points,
    duration: WINDOW_SECONDS,
    inMemoryBlockOnConsumed: points,
  });
}

const UNDEFINED_TABLE = '42P01';
/** Two processes made it at the same time: "unique violation" in the catalogue, and "duplicate table". */
const IS_THERE_MEANWHILE: readonly unknown[] = ['23505', '42P07'];

/** Makes the table when a statement finds that it is missing. */
function withTable(pool: PostgresPool, table: string): PostgresPool {
  const make = async (): Promise<void> => {
    // Not logged: after a crash of the database everybody begins a new minute.
    const text = `CREATE UNLOGGED TABLE IF NOT EXISTS ${table} (
      key varchar(255) PRIMARY KEY,
      points integer NOT NULL DEFAULT 0,
      expire bigint
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

/** As it stands in SQL, where the library does not escape it. */
function identifier(option: string, name: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(name)) return name;
  throw new TypeError(
    `postgresRateLimitStore: the option "${option}" must be small letters, digits and _, up to 63.`,
  );
}
