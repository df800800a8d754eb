import type { DatabaseSync } from 'node:sqlite';
import type { Logger } from '@trunkline/core/spi/storage';
import { initial } from './0004-initial.ts';
import { handOvers } from './0005-hand-overs.ts';
import { refusedLogouts } from './0006-refused-logouts.ts';
import { uploads } from './0007-uploads.ts';
import { retryRounds } from './0008-retry-rounds.ts';
import { leftGroups } from './0009-left-groups.ts';
import { processes } from './0010-processes.ts';
import { postponedWork } from './0011-postponed-work.ts';
import { exhaustedEvents } from './0012-exhausted-events.ts';
import { networkIds } from './0013-network-ids.ts';
import { copiedNetworkIds } from './0014-copied-network-ids.ts';
import { pause } from '../pause.ts';
import { idempotencyLog } from './0015-idempotency-log.ts';
import { movedIdempotencyRecords } from './0016-moved-idempotency-records.ts';
import { queueByInstance } from './0017-queue-by-instance.ts';
import { pendingDownloads } from './0018-pending-downloads.ts';
import { heldMessages } from './0019-held-messages.ts';
import { contacts } from './0020-contacts.ts';
import { restrictions } from './0021-restrictions.ts';
import { activityKeys } from './0022-activity-keys.ts';
import { instanceProxies } from './0023-instance-proxies.ts';
import { eventLog } from './0024-event-log.ts';
import { instancesByStatus } from './0025-instances-by-status.ts';
import { retention } from './0026-retention.ts';
import { instanceHistory } from './0027-instance-history.ts';
import { eventTraces } from './0028-event-traces.ts';
import { chats } from './0029-chats.ts';
import { endpointTraceContext } from './0030-endpoint-trace-context.ts';
import { processReports } from './0031-process-reports.ts';
import { spentTokens } from './0032-spent-tokens.ts';
import { keyPrefixes } from './0033-key-prefixes.ts';
import { dialledNumbers } from './0034-dialled-numbers.ts';
import type { SteppedMigration } from './stepped-migration.ts';

/** In order; a migration that was released never changes. The version of a database is the number of its last one. */
export const MIGRATIONS: readonly (string | SteppedMigration)[] = [
  initial,
  handOvers,
  refusedLogouts,
  uploads,
  retryRounds,
  leftGroups,
  processes,
  postponedWork,
  exhaustedEvents,
  networkIds,
  copiedNetworkIds,
  idempotencyLog,
  movedIdempotencyRecords,
  queueByInstance,
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
  dialledNumbers,
];

/** Four that were never released became one, which kept the number of the last of them. */
export const INITIAL_VERSION = 4;
export const LATEST_VERSION: number = INITIAL_VERSION + MIGRATIONS.length - 1;

/** "trnk": says that a SQLite file is ours. */
const APPLICATION_ID = 0x74726e6b;

/** Between the steps of a migration, for other processes to write in: they ask for the lock every 50 ms at least. */
const STEP_PAUSE_MS = 60;
const LOG_EVERY_MS = 2_000;

/**
 * Applies what is missing. Each migration is applied as a whole or not at all, but for those that go in steps: one that
 * was interrupted goes on where it was. Several processes may do so concurrently: they take turns.
 */
export function migrate(connection: DatabaseSync, logger: Logger): void {
  let rows = 0;
  let loggedAt = -Infinity;
  while (readVersion(connection) < LATEST_VERSION) {
    const done = applyMissing(connection);
    rows += done.rows;
    if (done.unfinished === null) continue;
    if (performance.now() - loggedAt >= LOG_EVERY_MS) {
      loggedAt = performance.now();
      logger.info(
        { rows, task: done.unfinished },
        'the database is being upgraded: if this is interrupted, the next start continues it',
      );
    }
    pause(STEP_PAUSE_MS);
  }
  if (loggedAt > 0) logger.info({ rows }, 'the database is upgraded');
}

interface Applied {
  /** Gone through by steps. */
  readonly rows: number;
  /** What the migration does of which more than a step was left; null where all are applied. */
  readonly unfinished: string | null;
}

/** In one transaction: as far as the first migration that takes more than one step. */
function applyMissing(connection: DatabaseSync): Applied {
  let rows = 0;
  let unfinished: string | null = null;
  connection.exec('BEGIN IMMEDIATE');
  try {
    let version = readVersion(connection);
    for (const migration of MIGRATIONS.slice(Math.max(0, version - INITIAL_VERSION + 1))) {
      if (typeof migration === 'string') connection.exec(migration);
      else {
        const step = migration.step(connection);
        rows += step.rows;
        if (!step.isComplete) unfinished = migration.task;
      }
      if (unfinished !== null) break;
      version = Math.max(INITIAL_VERSION, version + 1);
    }
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    connection.exec(`PRAGMA user_version = ${version}`);
    connection.exec('COMMIT');
    return { rows, unfinished };
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/** Throws when the file was made by a version that knows more migrations. */
export function readVersion(connection: DatabaseSync): number {
  const version = pragma(connection, 'user_version');
  if (version > LATEST_VERSION) {
    const versions = `schema ${version}; this one knows ${LATEST_VERSION}`;
    throw new Error(
      `it was made by a newer version of Trunkline (${versions}). Run that version, or restore a backup from before its upgrade.`,
    );
  }
  return version;
}

/** Throws when the file holds somebody else's tables. */
export function refuseForeign(connection: DatabaseSync): void {
  const tables = connection
    .prepare("SELECT count(*) AS tables FROM sqlite_schema WHERE type = 'table'")
    .get();
  if (tables?.['tables'] !== 0 && pragma(connection, 'application_id') !== APPLICATION_ID) {
    throw new Error('it is a SQLite database, but not one of Trunkline. Use another path.');
  }
}

function pragma(connection: DatabaseSync, name: string): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name]);
}
