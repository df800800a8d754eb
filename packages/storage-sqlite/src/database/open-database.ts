import { closeSync, existsSync, openSync } from 'node:fs';
import { checkMoveMark, latestSchemaVersion, MOVE_MARK } from '@trunkline/storage-kit';
import { withStatements } from './database.ts';
import type { Database } from './database.ts';
import { isBusy, OPEN_TIMEOUT_MS } from './lock.ts';
import { migrate, MIGRATIONS, readVersion } from './migrate.ts';
import { DatabaseSync } from './node-sqlite.ts';
import { pause } from './pause.ts';
import { cannotBeUsed, storedVersion } from './stored-schema.ts';

const SWITCH_AGAIN_MS = 10;

/**
 * Opens the file, or creates it, and brings its schema up to date. Throws an error with a clear message, without having
 * written anything, if the directory is missing, or the file is not Trunkline's, is damaged, was created before 0.1.0
 * or by a newer version, or is part of a move and not opened for it.
 */
export function openDatabase(
  file: string,
  {
    isMoving = false,
    migrations = MIGRATIONS,
  }: { readonly isMoving?: boolean; readonly migrations?: readonly string[] } = {},
): Database {
  let connection: DatabaseSync | undefined;
  try {
    if (file !== ':memory:') {
      storedVersion(file);
      makePrivately(file);
    }
    connection = new DatabaseSync(file, { timeout: OPEN_TIMEOUT_MS });
    useWriteAheadLog(connection);
    const version = readVersion(connection, migrations);
    if (version > 0)
      checkMoveMark(moveMark(connection), { isMoving, version, latest: latestSchemaVersion(migrations) });
    migrate(connection, migrations);
    // From now on, waits must not block the event loop, because a transaction that holds the lock may need the event
    // loop before it can end.
    connection.exec('PRAGMA busy_timeout = 0');
    return withStatements(connection);
  } catch (error) {
    connection?.close();
    throw cannotBeUsed(file, error);
  }
}

/** In this mode, readers do not wait for the writer, and a commit is one append and one flush. */
function useWriteAheadLog(connection: DatabaseSync): void {
  const mode = waitingForOthers(
    () => connection.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'],
  );
  if (mode !== 'wal' && mode !== 'memory')
    throw new Error('its file system does not allow a write-ahead log. Put it on a local disk.');
  // A commit is on disk before its call resolves.
  connection.exec('PRAGMA synchronous = FULL');
  // Overwrites deleted content, which costs nothing in pages that are written anyway.
  connection.exec('PRAGMA secure_delete = ON');
  // 64 MiB (a negative value is in KiB), allocated as needed.
  connection.exec('PRAGMA cache_size = -65536');
  // In pages of 4 KiB. The log grows longer than by default, so that pages that change often are copied back
  // less often.
  connection.exec('PRAGMA wal_autocheckpoint = 4000');
}

/**
 * Retries while the file is locked. If several processes switch a new file to this mode concurrently, SQLite refuses
 * all but one immediately in spite of its timeout, because each holds a lock that the others wait for.
 */
function waitingForOthers<T>(attempt: () => T): T {
  const until = performance.now() + OPEN_TIMEOUT_MS;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw error;
      pause(SWITCH_AGAIN_MS);
    }
  }
}

function moveMark(connection: DatabaseSync): string | null {
  const row = connection.prepare('SELECT value FROM settings WHERE name = ?').get(MOVE_MARK);
  return row ? String(row['value']) : null;
}

/**
 * Creates a new file that only its owner can read. SQLite gives the log and its index the same mode. SQLite itself
 * would let every user read the file, and the umask belongs to the application. An existing file keeps its mode.
 */
function makePrivately(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}
