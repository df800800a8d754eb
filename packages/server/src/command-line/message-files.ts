import { DatabaseSync } from '../node-sqlite.ts';

/**
 * Runs `use` with a lookup in the database of a backup: whether a message there has a file with this name. A file that
 * came after the database was copied, or was never part of a message, would be orphaned by a restore.
 */
export async function withMessageFiles<Result>(
  database: string,
  use: (isOfMessage: (name: string) => boolean) => Promise<Result>,
): Promise<Result> {
  const copy = new DatabaseSync(database, { readOnly: true });
  try {
    const find = copy.prepare('SELECT 1 FROM contents WHERE message_id = ? AND instance_id IS NOT NULL');
    return await use((name) => find.get(name) !== undefined);
  } finally {
    copy.close();
  }
}
