import type { Database } from './database.ts';
import type { Writer } from './writer.ts';

/** For how long readers are waited for that keep the log from being emptied. */
const CHECKPOINT_WITHIN_MS = 5_000;
const LOOK_AGAIN_MS = 50;

/** In a database that has rows which earlier versions have deleted without overwriting them. */
export const DELETED_BYTES = 'free pages: not overwritten';

interface Purge {
  readonly file: string;
  readonly database: Database;
  readonly writer: Writer;
  /** Whether all of the database may be written again. */
  readonly rewrite: boolean;
}

/**
 * See `Storage.purge`. Whatever is deleted is overwritten in the file (`secure_delete`), but the write-ahead log has the
 * pages as they were before, until they are copied back and the log is cut off. What versions without `secure_delete` have
 * deleted is still in free parts of the file, until it is written anew once.
 */
export async function purge({ file, database, writer, rewrite }: Purge): Promise<string | null> {
  if (file === ':memory:') return null;
  if (rewrite && database.get(LEFT_BY_FORMER_VERSION, DELETED_BYTES)) {
    const failure = await vacuum(file);
    if (failure !== null)
      return `What earlier versions have deleted may be left in ${file}, which could not be written again (${failure}): make room for a second copy of it, and try again.`;
    await writer.run(() => database.run('DELETE FROM settings WHERE name = ?', DELETED_BYTES));
  }
  return (await emptyLog(database))
    ? null
    : `What was deleted may be left in ${file}-wal, since a program keeps reading from the database: end that program, and try again.`;
}

const LEFT_BY_FORMER_VERSION = 'SELECT 1 FROM settings WHERE name = ?';

/** Copies the log back and cuts it off. Returns whether that was possible. */
async function emptyLog(database: Database): Promise<boolean> {
  const until = performance.now() + CHECKPOINT_WITHIN_MS;
  for (;;) {
    const result = database.get('PRAGMA wal_checkpoint(TRUNCATE)');
    if (result?.['busy'] === 0) return true;
    if (performance.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** On a thread of its own: it takes seconds for each gigabyte. Returns why it failed, or null. */
async function vacuum(file: string): Promise<string | null> {
  const { Worker } = await import('node:worker_threads'); // which few servers ever need
  const worker = new Worker(VACUUM, { eval: true, workerData: file });
  return new Promise((resolve) => {
    worker.once('error', (error: unknown) => resolve(error instanceof Error ? error.message : String(error)));
    worker.once('exit', () => resolve(null));
  });
}

const VACUUM = `
  const { DatabaseSync } = require('node:sqlite');
  const connection = new DatabaseSync(require('node:worker_threads').workerData, { timeout: 10_000 });
  try {
    connection.exec('VACUUM');
  } finally {
    connection.close();
  }
`;
