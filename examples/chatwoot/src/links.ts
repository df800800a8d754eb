import { DatabaseSync } from 'node:sqlite';
import type { ChatwootMessage } from './chatwoot-api.ts';

/** Links between messages of Trunkline and of Chatwoot, in a SQLite file. */
export interface Links {
  /** Returns the Chatwoot message linked to a Trunkline message; undefined if there is none. */
  find(messageId: string): ChatwootMessage | undefined;
  /** Whether a Trunkline message is linked to this Chatwoot message. */
  isSent(chatwootId: number): boolean;
  add(messageId: string, message: ChatwootMessage): void;
  close(): void;
}

export function openLinks(path: string): Links {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS links (
      message_id TEXT PRIMARY KEY,
      conversation INTEGER NOT NULL,
      chatwoot_id INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS links_by_chatwoot ON links (chatwoot_id)`);
  const select = database.prepare('SELECT conversation, chatwoot_id AS id FROM links WHERE message_id = ?');
  const selectSent = database.prepare('SELECT 1 FROM links WHERE chatwoot_id = ? LIMIT 1');
  const insert = database.prepare('INSERT OR IGNORE INTO links VALUES (?, ?, ?)');
  return {
    find(messageId) {
      const row = select.get(messageId);
      return row && { conversation: Number(row['conversation']), id: Number(row['id']) };
    },
    isSent: (chatwootId) => selectSent.get(chatwootId) !== undefined,
    add: (messageId, { conversation, id }) => void insert.run(messageId, conversation, id),
    close: () => database.close(),
  };
}
