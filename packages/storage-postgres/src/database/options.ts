import { checkOptionNames } from '@trunkline/option-names';
import type { OptionNames } from '@trunkline/option-names';
import type { PostgresPool } from './pool.ts';

/** Takes either a connection string or the app's own pool. */
export type PostgresStorageOptions = Settings &
  (
    | {
        /** Such as `postgres://user:password@host:5432/database`. */
        readonly connectionString: string;
        /**
         * The maximum number of connections; 10 by default. One of them listens for notifications, unless
         * `notifications` is false.
         */
        readonly maxConnections?: number;
        readonly pool?: undefined;
      }
    | {
        /** A `Pool` of `pg`, which the app can use too. It stays open when the storage is closed. */
        readonly pool: PostgresPool;
        readonly connectionString?: undefined;
        readonly maxConnections?: undefined;
      }
  );

interface Settings {
  /** The schema of the tables; `trunkline` by default. It is created if it does not exist. */
  readonly schema?: string;
  /**
   * Whether connections keep statements prepared; true by default. Set it to false behind a PgBouncer older than 1.21
   * in transaction mode.
   */
  readonly preparedStatements?: boolean;
  /**
   * Whether processes notify each other of work with LISTEN and NOTIFY; true by default. Set it to false behind a
   * PgBouncer in transaction mode, which does not support them. Processes then find each other's work by polling.
   */
  readonly notifications?: boolean;
  /**
   * How long PostgreSQL may take for a statement, in milliseconds; 10,000 by default. After that, the call rejects and
   * its connection is closed.
   */
  readonly timeoutMs?: number;
}

export type CheckedOptions = Required<Settings> &
  (
    | { readonly pool: PostgresPool }
    | { readonly pool: null; readonly connectionString: string; readonly maxConnections: number }
  );

const OPTION_NAMES: OptionNames<PostgresStorageOptions> = {
  connectionString: true,
  maxConnections: true,
  pool: true,
  schema: true,
  preparedStatements: true,
  notifications: true,
  timeoutMs: true,
};

const DEFAULT_CONNECTIONS = 10;
const DEFAULT_TIMEOUT_MS = 10_000;
const TIMEOUT_MAX_MS = 3_600_000;
/** PostgreSQL truncates longer names. */
const NAME_BYTES_MAX = 63;

/** Returns the options with their defaults. Throws a TypeError that names the first wrong option. */
export function checkOptions(options: Partial<PostgresStorageOptions>): CheckedOptions {
  checkOptionNames('postgresStorage', options, OPTION_NAMES);
  const { pool, connectionString, maxConnections = DEFAULT_CONNECTIONS } = options;
  const { schema = 'trunkline', preparedStatements = true, notifications = true } = options;
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  if (!isName(schema))
    throw wrong('schema', `it must be a name of 1 to ${NAME_BYTES_MAX} bytes, not one of Postgres's own`);
  if (typeof preparedStatements !== 'boolean') throw wrong('preparedStatements', 'it must be true or false');
  if (typeof notifications !== 'boolean') throw wrong('notifications', 'it must be true or false');
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > TIMEOUT_MAX_MS) {
    throw wrong('timeoutMs', `it must be a whole number from 1 to ${TIMEOUT_MAX_MS}`);
  }
  const settings = { schema, preparedStatements, notifications, timeoutMs };

  if (pool !== undefined) {
    if (connectionString !== undefined) throw wrong('connectionString', 'it must not be given with "pool"');
    if (!isPool(pool)) throw wrong('pool', 'it must be a Pool of pg');
    if (notifications && pool.options?.max === 1) {
      throw wrong(
        'pool',
        'it has one connection, which "notifications" would take: give it two at least, or notifications: false',
      );
    }
    return { ...settings, pool };
  }
  if (connectionString === undefined) {
    throw new TypeError(
      'postgresStorage: the option "connectionString" or "pool" is missing. Give a string like postgres://user:password@host/database, or a Pool of pg.',
    );
  }
  if (typeof connectionString !== 'string' || !/^postgres(ql)?:\/\//.test(connectionString)) {
    throw wrong('connectionString', 'it must begin with postgres://');
  }
  if (!Number.isSafeInteger(maxConnections) || maxConnections < 2) {
    throw wrong('maxConnections', 'it must be a whole number from 2');
  }
  return { ...settings, pool: null, connectionString, maxConnections };
}

function wrong(option: string, why: string): TypeError {
  return new TypeError(`postgresStorage: the option "${option}" is wrong: ${why}.`);
}

function isName(schema: unknown): schema is string {
  if (typeof schema !== 'string' || schema === '' || schema.includes('\0')) return false;
  return Buffer.byteLength(schema) <= NAME_BYTES_MAX && !/^pg_|^information_schema$/i.test(schema);
}

function isPool(pool: object): pool is PostgresPool {
  return ['connect', 'on', 'removeListener'].every((name) => typeof Reflect.get(pool, name) === 'function');
}
