import type { Database } from './database.ts';

/** How long to wait for readers that keep the log from being emptied. */
const CHECKPOINT_WITHIN_MS = 5_000;
const LOOK_AGAIN_MS = 50;

/**
 * See `Storage.purge`. Deleted content is overwritten in the file (`secure_delete`), but the write-ahead log may hold
 * earlier versions of the pages until it is checkpointed and truncated.
 */
export async function purge(file: string, database: Database): Promise<string | null> {
  if (file === ':memory:' || (await emptyLog(database))) return null;
  return `What was deleted may be left in ${file}-wal, since a program keeps reading from the database: end that program, and try again.`;
}

/** Copies the log into the database file and truncates it. Returns whether that was possible. */
async function emptyLog(database: Database): Promise<boolean> {
  const until = performance.now() + CHECKPOINT_WITHIN_MS;
  for (;;) {
    const result = database.get('PRAGMA wal_checkpoint(TRUNCATE)');
    if (result?.['busy'] === 0) return true;
    if (performance.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
