import type { Logger } from '@trunkline/core/spi/storage';
import { MOVE_MARK, refuseWhileMoved } from '@trunkline/storage-kit';
import type { StoredSchema } from '@trunkline/storage-kit';
import { COLUMN_TYPES } from '../column-types.ts';
import { withClient } from '../pool.ts';
import type { PostgresPool, WatchedClient } from '../pool.ts';
import type { Queryable } from '../queryable.ts';
import { transactionStart } from '../session.ts';
import { qualify, quoted } from '../statements.ts';
import { initial } from './0001-initial.ts';
import { handOvers } from './0002-hand-overs.ts';
import { sendingWhileReconnecting } from './0003-sending-while-reconnecting.ts';
import { uploads } from './0004-uploads.ts';
import { retryRounds } from './0005-retry-rounds.ts';
import { leftGroups } from './0006-left-groups.ts';
import { processes } from './0007-processes.ts';
import { postponedWork } from './0008-postponed-work.ts';
import { exhaustedEvents } from './0009-exhausted-events.ts';
import { openDeliveries } from './0010-open-deliveries.ts';
import { movedOpenDeliveries } from './0011-moved-open-deliveries.ts';
import { pendingDownloads } from './0012-pending-downloads.ts';
import { heldMessages } from './0013-held-messages.ts';
import { contacts } from './0014-contacts.ts';
import { restrictions } from './0015-restrictions.ts';
import { activityKeys } from './0016-activity-keys.ts';
import { instanceProxies } from './0017-instance-proxies.ts';
import { eventLog } from './0018-event-log.ts';
import { instancesByStatus } from './0019-instances-by-status.ts';
import { retention } from './0020-retention.ts';
import { instanceHistory } from './0021-instance-history.ts';
import { eventTraces } from './0022-event-traces.ts';
import { chats } from './0023-chats.ts';
import { endpointTraceContext } from './0024-endpoint-trace-context.ts';
import { processReports } from './0025-process-reports.ts';
import { spentTokens } from './0026-spent-tokens.ts';
import { keyPrefixes } from './0027-key-prefixes.ts';
import { deliveriesBesideEvents } from './0028-deliveries-beside-events.ts';
import { notedMessages } from './0029-noted-messages.ts';
import { dialledNumbers } from './0030-dialled-numbers.ts';
import type { Ask, SteppedMigration } from './stepped-migration.ts';

/** In order; a migration that was released never changes. The version of a schema is how many it has had. */
export const MIGRATIONS: readonly (string | SteppedMigration)[] = [
  initial,
  handOvers,
  sendingWhileReconnecting,
  uploads,
  retryRounds,
  leftGroups,
  processes,
  postponedWork,
  exhaustedEvents,
  openDeliveries,
  movedOpenDeliveries,
  pendingDownloads,
  heldMessages,
  contacts,
  restrictions,
  activityKeys,
  instanceProxies,
  eventLog,
  instancesByStatus,
  retention,
  instanceHistory,
  eventTraces,
  chats,
  endpointTraceContext,
  processReports,
  spentTokens,
  keyPrefixes,
  deliveriesBesideEvents,
  notedMessages,
  dialledNumbers,
];

const OLDEST_SERVER = 14;

/** A migration may have to wait for those of other processes, and to rewrite what is there. */
const TIMEOUT_MS = 600_000;

const LOG_EVERY_MS = 2_000;

export interface MigrationTarget {
  readonly pool: PostgresPool;
  readonly schema: string;
  readonly logger: Logger;
  /** Whether it is opened to be moved; false by default. */
  readonly isMoving?: boolean;
}

/**
 * Applies what is missing. Each migration is applied as a whole or not at all, but for those that go in steps: one that
 * was interrupted continues where it was. Processes that start together take turns. Throws one clear sentence, having
 * written nothing, where the server is too old, the database cannot hold every text, or the schema is somebody else's or
 * was made by a newer version, or where it is part of a move and is not opened for that. Returns what distinguishes this
 * database from others.
 */
export async function migrate({ pool, schema, logger, isMoving = false }: MigrationTarget): Promise<string> {
  return withClient(pool, logger, async (client) => {
    const ask = asker(client, schema);
    await checkServer(ask);
    await checkMove(ask, schema, isMoving);
    let rows = 0;
    let loggedAt = -Infinity;
    // A look first: all but the first start need not wait for anyone, nor be allowed to make tables.
    while ((await readVersion(ask, schema)) !== MIGRATIONS.length) {
      const done = await applyMissing(ask, client, schema);
      rows += done.rows;
      if (done.unfinished === null || performance.now() - loggedAt < LOG_EVERY_MS) continue;
      loggedAt = performance.now();
      logger.info(
        { rows, task: done.unfinished },
        'the database is being upgraded: if this is interrupted, the next start continues it',
      );
    }
    if (loggedAt > 0) logger.info({ rows }, 'the database is upgraded');
    const { id } = await ask('SELECT id FROM trunkline.schema_versions WHERE version = 1');
    return String(id);
  });
}

/** Looks at what `migrate` would begin with, and throws what that would throw before it writes. */
export async function storedSchema({ pool, schema, logger }: MigrationTarget): Promise<StoredSchema> {
  return withClient(pool, logger, async (client) => {
    const ask = asker(client, schema);
    await checkServer(ask);
    const version = await readVersion(ask, schema);
    if (version === 0) await isSchemaThere(ask, schema);
    return { version, latest: MIGRATIONS.length };
  });
}

interface Applied {
  /** Gone through by steps. */
  readonly rows: number;
  /** What the migration does of which more than a step was left; null where all are applied. */
  readonly unfinished: string | null;
}

/** In one transaction: as far as the first migration that takes more than one step. */
async function applyMissing(ask: Ask, client: WatchedClient, schema: string): Promise<Applied> {
  let rows = 0;
  await ask(transactionStart('write', client.session, TIMEOUT_MS));
  try {
    await ask('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', `trunkline migrations of ${schema}`);
    const version = await readVersion(ask, schema);
    if (version === 0) await makeSchema(ask, client, schema);
    let unfinished: string | null = null;
    for (const [index, migration] of MIGRATIONS.entries()) {
      if (index < version) continue;
      if (typeof migration === 'string') await ask(migration);
      else {
        const step = await migration.step(ask);
        rows += step.rows;
        if (!step.isComplete) unfinished = migration.task;
      }
      if (unfinished !== null) break;
      await ask('INSERT INTO trunkline.schema_versions (version) VALUES ($1)', index + 1);
    }
    await ask('COMMIT');
    return { rows, unfinished };
  } catch (error) {
    if (!client.isBroken()) await ask('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** `Ask` on a connection. */
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
      `the server is PostgreSQL ${major}; ${OLDEST_SERVER} is the oldest that will do. Upgrade it, or use another one.`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new Error(
      `its encoding is ${String(encoding)}, which cannot hold every text; it must be UTF8. Create another database with that.`,
    );
  }
}

/** Nothing is written to a database that is being moved or was moved, an upgrade included. */
async function checkMove(ask: Ask, schema: string, isMoving: boolean): Promise<void> {
  const version = await readVersion(ask, schema);
  if (version === 0) return;
  const { value } = await ask('SELECT value FROM trunkline.settings WHERE name = $1', MOVE_MARK);
  if (typeof value !== 'string') return;
  if (!isMoving) refuseWhileMoved(value);
  else if (version < MIGRATIONS.length)
    throw new Error(
      'its move was begun by an earlier version of Trunkline: end it with that version, or run "trunkline move --undo" with that one and begin again.',
    );
}

/** 0 where nothing of ours is there. */
async function readVersion(ask: Ask, schema: string): Promise<number> {
  const { found } = await ask(FIND_VERSIONS, schema);
  if (found === undefined) return 0;
  const { version } = await ask('SELECT max(version)::text AS version FROM trunkline.schema_versions');
  if (Number(version) > MIGRATIONS.length) {
    const versions = `schema ${String(version)}; this one knows ${MIGRATIONS.length}`;
    throw new Error(
      `it was made by a newer version of Trunkline (${versions}). Run that version, or restore a backup from before its upgrade.`,
    );
  }
  return Number(version);
}

// Not by to_regclass, which may still know from before the lock that there is none.
const FIND_VERSIONS = `
  SELECT 1 AS found
  FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = $1 AND relname = 'schema_versions'`;

/** Makes it where there is none: one that an administrator has made is as good, and then we need no right to. */
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

/** Throws if something of somebody else's is in it. */
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
