import { DatabaseSync } from '../database/node-sqlite.ts';

/**
 * Runs `use` with a function that looks up in a backup's database whether a file of a given name belongs to a message.
 * Other files were stored after the database was copied, or never belonged to a message, so a restore would orphan
 * them.
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
