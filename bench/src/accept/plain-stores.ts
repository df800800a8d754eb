import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { PlainMessage } from './plain-app.ts';

export type PlainStore = (message: PlainMessage) => Promise<void>;

/** Stores nothing, and responds to all requests of one tick together: the ceiling for any storage. */
export function respondingTogether(): PlainStore {
  let waiting: (() => void)[] = [];
  const respond = (): void => {
    const all = waiting;
    waiting = [];
    for (const resolve of all) resolve();
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(respond);
      waiting.push(resolve);
    });
}

export function respondingEach(): PlainStore {
  return () => Promise.resolve();
}

/** Commits a transaction to disk for each message before its response, as simple hand-written code does. */
export function committingEach(directory: string): PlainStore {
  const database = new DatabaseSync(join(directory, 'plain.db'));
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA cache_size = -65536;
    CREATE TABLE messages (
      id TEXT PRIMARY KEY, instance_id TEXT NOT NULL, recipient TEXT NOT NULL, text TEXT NOT NULL,
      status TEXT NOT NULL, created_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX messages_queued ON messages (instance_id, id) WHERE status = 'queued';
    CREATE TABLE idempotency (
      key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, message_id TEXT NOT NULL, created_at INTEGER NOT NULL
    ) WITHOUT ROWID;`);
  const [begin, commit] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')];
  const remember = database.prepare('INSERT INTO idempotency VALUES (?, ?, ?, ?)');
  const insert = database.prepare("INSERT INTO messages VALUES (?, ?, ?, ?, 'queued', ?)");
  return async ({ id, instanceId, to, text, createdAt, idempotencyKey, fingerprint }) => {
    begin.run();
    remember.run(idempotencyKey, fingerprint, id, createdAt);
    insert.run(id, instanceId, to, text, createdAt);
    commit.run();
  };
}
