import { closeSync, existsSync, openSync } from 'node:fs';
import type { Logger } from '@trunkline/core/spi/storage';
import { MOVE_MARK, refuseWhileMoved } from '@trunkline/storage-kit';
import { withStatements } from './database.ts';
import type { Database } from './database.ts';
import { isBusy, OPEN_TIMEOUT_MS } from './lock.ts';
import { LATEST_VERSION, migrate, readVersion } from './migrations/migrate.ts';
import { DatabaseSync } from './node-sqlite.ts';
import { pause } from './pause.ts';
import { cannotBeUsed, storedVersion } from './stored-schema.ts';

const SWITCH_AGAIN_MS = 10;

/**
 * Opens the file, making it where there is none, and brings its schema up to date. Throws one clear sentence, having
 * written nothing, when the directory is missing or the file is not ours, is damaged, or was made by a newer version; and
 * when it is part of a move, unless it is opened for that.
 */
export function openDatabase(
  file: string,
  { logger, isMoving = false }: { readonly logger: Logger; readonly isMoving?: boolean },
): Database {
  let connection: DatabaseSync | undefined;
  try {
    if (file !== ':memory:') {
      storedVersion(file);
      makePrivately(file);
    }
    connection = new DatabaseSync(file, { timeout: OPEN_TIMEOUT_MS });
    useWriteAheadLog(connection);
    checkMove(connection, isMoving);
    migrate(connection, logger);
    // From now on whoever waits does so without blocking the event loop: the lock may be held by a transaction that needs it to end.
    connection.exec('PRAGMA busy_timeout = 0');
    return withStatements(connection);
  } catch (error) {
    connection?.close();
    throw cannotBeUsed(file, error);
  }
}

/** Readers do not wait for the writer, and a commit is one append and one flush. */
function useWriteAheadLog(connection: DatabaseSync): void {
  const mode = waitingForOthers(
    () => connection.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'],
  );
  if (mode !== 'wal' && mode !== 'memory')
    throw new Error('its file system does not allow a write-ahead log. Put it on a local disk.');
  // A commit is on disk before the response.
  connection.exec('PRAGMA synchronous = FULL');
  // What is deleted is overwritten. In the pages that are written anyway that costs nothing.
  connection.exec('PRAGMA secure_delete = ON');
  // In KiB: 64 MiB, taken as they are needed.
  connection.exec('PRAGMA cache_size = -65536');
  // In pages of 4 KiB. A longer log than by default, so that a page that changes often is copied back less often.
  connection.exec('PRAGMA wal_autocheckpoint = 4000');
}

/**
 * Of several processes that switch a new file over concurrently, SQLite refuses all but one immediately, in spite of its
 * timeout, since they hold what each other waits for.
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

/** Nothing is written to a database that is being moved or was moved, an upgrade included. */
function checkMove(connection: DatabaseSync, isMoving: boolean): void {
  const version = readVersion(connection);
  if (version === 0) return;
  const row = connection.prepare('SELECT value FROM settings WHERE name = ?').get(MOVE_MARK);
  if (!row) return;
  if (!isMoving) refuseWhileMoved(String(row['value']));
  else if (version < LATEST_VERSION)
    throw new Error(
      'its move was begun by an earlier version of Trunkline: end it with that version, or run "trunkline move --undo" with that one and begin again.',
    );
}

/**
 * A new file is for its owner alone, and so are the log and the index beside it, which SQLite gives the same mode. SQLite
 * itself would make it readable by everybody, and the umask is the application's. The mode of a file that is there stays.
 */
function makePrivately(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}
