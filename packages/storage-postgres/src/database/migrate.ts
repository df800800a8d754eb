import type { Logger } from '@trunkline/core/spi/storage';
import {
  checkMoveMark,
  checkStoredSchema,
  latestSchemaVersion,
  missingMigrations,
  MOVE_MARK,
} from '@trunkline/storage-kit';
import type { Row, StoredSchema } from '@trunkline/storage-kit';
import { COLUMN_TYPES } from './column-types.ts';
import { withClient } from './pool.ts';
import type { PostgresPool, WatchedClient } from './pool.ts';
import type { Queryable } from './queryable.ts';
import { transactionStart } from './session.ts';
import { qualify, quoted } from './statements.ts';
import { SCHEMA } from './schema.ts';

/** Runs one statement, or several without values, and returns the first row, or {} if there is none. */
type Ask = (sql: string, ...values: readonly (string | number)[]) => Promise<Row>;

/** The migrations, in order. The first one creates the tables. A released migration never changes. */
export const MIGRATIONS: readonly string[] = [SCHEMA];

export const LATEST_VERSION: number = latestSchemaVersion(MIGRATIONS);

const OLDEST_SERVER = 14;

/** A migration may have to wait for migrations of other processes, and to rewrite stored rows. */
const TIMEOUT_MS = 600_000;

export interface MigrationTarget {
  readonly pool: PostgresPool;
  readonly schema: string;
  readonly logger: Logger;
  /** Whether the database is opened to be moved; false by default. */
  readonly isMoving?: boolean;
  readonly migrations?: readonly string[];
}

/**
 * Applies all missing migrations, or none if one fails. Processes that start together take turns. Returns the id that
 * distinguishes this database from others. Throws an error with a clear message, without having written anything, if
 * PostgreSQL is too old, if the database cannot hold every text, or if the schema is not Trunkline's, was created
 * before 0.1.0 or by a newer version, or is part of a move and not opened for it.
 */
export async function migrate({
  pool,
  schema,
  logger,
  isMoving = false,
  migrations = MIGRATIONS,
}: MigrationTarget): Promise<string> {
  return inTransaction({ pool, schema, logger }, async (ask, client) => {
    await checkServer(ask);
    const version = await readVersion(ask, schema, migrations);
    if (version > 0)
      checkMoveMark(await moveMark(ask), { isMoving, version, latest: latestSchemaVersion(migrations) });
    // Only missing migrations make a start wait for other processes and need the right to create tables.
    if (missingMigrations(version, migrations).length > 0)
      await applyMissing(ask, client, { schema, migrations });
    const { id } = await ask('SELECT id FROM trunkline.schema_versions ORDER BY version LIMIT 1');
    return String(id);
  });
}

/** Runs the checks of `migrate` except the one for moves, and writes nothing. */
export async function storedSchema(target: MigrationTarget): Promise<StoredSchema> {
  return inTransaction(target, async (ask) => {
    await checkServer(ask);
    const version = await readVersion(ask, target.schema, MIGRATIONS);
    if (version === 0) await isSchemaThere(ask, target.schema);
    return { version, latest: LATEST_VERSION };
  });
}

/** Even reads are in a transaction, because the role may limit how long a statement waits for a lock. */
async function inTransaction<Result>(
  { pool, schema, logger }: MigrationTarget,
  work: (ask: Ask, client: WatchedClient) => Promise<Result>,
): Promise<Result> {
  return withClient(pool, logger, async (client) => {
    const ask = asker(client, schema);
    await ask(transactionStart('write', client.session, TIMEOUT_MS));
    try {
      const result = await work(ask, client);
      await ask('COMMIT');
      return result;
    } catch (error) {
      if (!client.isBroken()) await ask('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}

async function applyMissing(
  ask: Ask,
  client: WatchedClient,
  { schema, migrations }: Pick<Required<MigrationTarget>, 'schema' | 'migrations'>,
): Promise<void> {
  await ask('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', `trunkline migrations of ${schema}`);
  const before = await readVersion(ask, schema, migrations);
  if (before === 0) await makeSchema(ask, client, schema);
  for (const [version, sql] of missingMigrations(before, migrations)) {
    await ask(sql);
    await ask('INSERT INTO trunkline.schema_versions (version) VALUES ($1)', version);
  }
}

function asker(client: Queryable, schema: string): Ask {
  return async (sql, ...values) => {
    const text = qualify(sql, schema);
    const { rows } = await client.query({ text, values, types: COLUMN_TYPES, query_timeout: TIMEOUT_MS });
    return rows?.[0] ?? {};
  };
}

async function checkServer(ask: Ask): Promise<void> {
  const { version, encoding } = await ask(
    "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding",
  );
  const major = Math.floor(Number(version) / 10_000);
  if (major < OLDEST_SERVER) {
    throw new Error(
      `the server is PostgreSQL ${major}; ${OLDEST_SERVER} is the oldest supported version. Upgrade it, or use another one.`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new Error(
      `its encoding is ${String(encoding)}, which cannot hold every text; it must be UTF8. Create another database with that.`,
    );
  }
}

async function moveMark(ask: Ask): Promise<string | null> {
  const { value } = await ask('SELECT value FROM trunkline.settings WHERE name = $1', MOVE_MARK);
  return typeof value === 'string' ? value : null;
}

/** The version of the stored schema; 0 if it has no tables of Trunkline. */
async function readVersion(ask: Ask, schema: string, migrations: readonly string[]): Promise<number> {
  const { found } = await ask(FIND_VERSIONS, schema);
  if (found === undefined) return 0;
  const row = await ask('SELECT max(version)::text AS version FROM trunkline.schema_versions');
  const version = Number(row['version']);
  checkStoredSchema({ version, latest: latestSchemaVersion(migrations) });
  return version;
}

// Does not use to_regclass, which may still say, from before the lock, that the table is missing.
const FIND_VERSIONS = `
  SELECT 1 AS found
  FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = $1 AND relname = 'schema_versions'`;

/**
 * Creates the table `schema_versions`, and the schema if it is missing. If an administrator has created the schema,
 * Trunkline needs no right to create schemas.
 */
async function makeSchema(ask: Ask, client: Queryable, schema: string): Promise<void> {
  if (!(await isSchemaThere(ask, schema))) await client.query({ text: `CREATE SCHEMA ${quoted(schema)}` });
  await ask(
    `CREATE TABLE trunkline.schema_versions (
       version    integer PRIMARY KEY,
       applied_at timestamptz NOT NULL DEFAULT now(),
       id         uuid NOT NULL DEFAULT gen_random_uuid()
     )`,
  );
}

/** Whether the schema exists. Throws if it is not empty. */
async function isSchemaThere(ask: Ask, schema: string): Promise<boolean> {
  const { tables } = await ask(
    `SELECT (SELECT count(*)::text FROM pg_catalog.pg_class WHERE relnamespace = pg_namespace.oid) AS tables
     FROM pg_catalog.pg_namespace WHERE nspname = $1`,
    schema,
  );
  if (tables === undefined) return false;
  if (tables === '0') return true;
  throw new Error(
    `the schema ${schema} holds something that is not Trunkline's. Use another database, or another schema with the option "schema".`,
  );
}
