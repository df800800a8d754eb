import type { DatabaseSync } from 'node:sqlite';
import { initial } from './0001-initial.ts';
import { leaseOwners } from './0002-lease-owners.ts';
import { subscriptions } from './0003-subscriptions.ts';
import { pairingNumber } from './0004-pairing-number.ts';
import { handOvers } from './0005-hand-overs.ts';
import { refusedLogouts } from './0006-refused-logouts.ts';
import { uploads } from './0007-uploads.ts';
import { retryRounds } from './0008-retry-rounds.ts';
import { leftGroups } from './0009-left-groups.ts';
import { processes } from './0010-processes.ts';
import { postponedWork } from './0011-postponed-work.ts';
import { exhaustedEvents } from './0012-exhausted-events.ts';

/** In order; a migration that was released never changes. The version of a database is how many it has had. */
const MIGRATIONS: readonly string[] = [
  initial,
  leaseOwners,
  subscriptions,
  pairingNumber,
  handOvers,
  refusedLogouts,
  uploads,
  retryRounds,
  leftGroups,
  processes,
  postponedWork,
  exhaustedEvents,
];

/** "trnk": says that a SQLite file is ours. */
const APPLICATION_ID = 0x74726e6b;

/** Applies what is missing, all of it or nothing. Several processes may do so at once: one waits for the other. */
export function migrate(connection: DatabaseSync): void {
  if (readVersion(connection) === MIGRATIONS.length) return;
  connection.exec('BEGIN IMMEDIATE');
  try {
    for (const migration of MIGRATIONS.slice(readVersion(connection))) connection.exec(migration);
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    connection.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/** Throws when the file was made by a version that knows more migrations. */
export function readVersion(connection: DatabaseSync): number {
  const version = pragma(connection, 'user_version');
  if (version > MIGRATIONS.length) {
    const versions = `schema ${version}; this one knows ${MIGRATIONS.length}`;
    throw new Error(`it was made by a newer version of Trunkline (${versions}).`);
  }
  return version;
}

/** Throws when the file holds somebody else's tables. */
export function refuseForeign(connection: DatabaseSync): void {
  const tables = connection
    .prepare("SELECT count(*) AS tables FROM sqlite_schema WHERE type = 'table'")
    .get();
  if (tables?.['tables'] !== 0 && pragma(connection, 'application_id') !== APPLICATION_ID) {
    throw new Error('it is a SQLite database, but not one of Trunkline.');
  }
}

function pragma(connection: DatabaseSync, name: string): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name]);
}
