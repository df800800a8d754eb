import { DatabaseSync, isHeldByAnother } from '../database/node-sqlite.ts';

import type { NetworkJournal, NetworkRecord } from '@trunkline/core/sandbox';
import { reasonOf, StartError } from '../errors/start-error.ts';

export interface SandboxJournal extends NetworkJournal {
  close(): void;
}

/** How many accepted messages the network recognises if they are sent again. */
const KEPT_MESSAGES = 100_000;
const FORGET_EVERY = 10_000;
/** A process that is ending may still hold the file. */
const LOCK_WAIT_MS = 1_000;
const SCHEMA_VERSION = 1;

/**
 * Opens the file with the sandbox network's state, and locks the file until it is closed. Returns null if another
 * process holds the lock. Only current facts and the latest accepted messages are kept, so that the file stays small.
 * A commit survives the end of the process, however it ends; only a power cut may lose the latest commits.
 */
export function openSandboxJournal(path: string): SandboxJournal | null {
  const database = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
  try {
    // The file stays locked, so that the code below need not handle a second process.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec('BEGIN EXCLUSIVE; COMMIT');
    prepareSchema(database);
    return journalOn(database);
  } catch (error) {
    database.close();
    if (isHeldByAnother(error)) return null;
    throw new StartError(
      `The sandbox network's file cannot be used: ${path} (${reasonOf(error)}). Without it the network starts empty: move it away if that is all right.`,
    );
  }
}

function prepareSchema(database: DatabaseSync): void {
  const version = database.prepare('PRAGMA user_version').get()?.['user_version'];
  if (version === SCHEMA_VERSION) return;
  if (version !== 0) throw new Error('made by a newer version');
  database.exec(`
    BEGIN;
    CREATE TABLE fact (
      number INTEGER PRIMARY KEY,
      instance_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      record TEXT NOT NULL,
      UNIQUE (instance_id, kind, name)
    ) STRICT;
    PRAGMA user_version = ${SCHEMA_VERSION};
    COMMIT;
  `);
}

function journalOn(database: DatabaseSync): SandboxJournal {
  const put = database.prepare(
    'INSERT OR REPLACE INTO fact (instance_id, kind, name, record) VALUES (?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM fact WHERE instance_id = ? AND kind = ? AND name = ?');
  const takeReceipt = database.prepare(`
    UPDATE fact SET record = json_remove(record, '$.receipts[0]')
    WHERE instance_id = ? AND kind = 'accepted' AND name = ?
  `);
  // Deletes the oldest messages and actions beyond the limit, except messages that still have receipts to deliver.
  const forget = database.prepare(`
    DELETE FROM fact
    WHERE kind IN ('accepted', 'acted') AND coalesce(json_array_length(record, '$.receipts'), 0) = 0
      AND number <= (SELECT number FROM fact WHERE kind IN ('accepted', 'acted') ORDER BY number DESC LIMIT 1 OFFSET ${KEPT_MESSAGES})
  `);
  let sinceForgetting = 0;
  forget.run();

  return {
    *load() {
      for (const { record } of database.prepare('SELECT record FROM fact ORDER BY number').iterate()) {
        yield JSON.parse(String(record)) as NetworkRecord; // as `append` wrote it
      }
    },
    append(record) {
      const { instanceId } = record;
      const write = (kind: string, name: string): void => {
        put.run(instanceId, kind, name, JSON.stringify(record));
      };
      switch (record.kind) {
        case 'linked':
          return write('phone', '');
        case 'unlinked':
          // Keeps the row, because the network rejects a session that contradicts it.
          return write('phone', '');
        case 'group':
          return write('group', record.group.networkId);
        case 'group_left':
          remove.run(instanceId, 'group', record.networkId);
          return;
        case 'accepted':
        case 'acted':
          write(record.kind, record.networkId);
          sinceForgetting += 1;
          if (sinceForgetting % FORGET_EVERY === 0) forget.run();
          return;
        case 'receipt_taken':
          takeReceipt.run(instanceId, record.networkId);
          return;
        case 'inbound':
          return write('inbound', record.message.networkId);
        case 'inbound_taken':
          remove.run(instanceId, 'inbound', record.networkId);
          return;
        case 'activity':
          return write('activity', record.activity.networkId);
        case 'activity_taken':
          remove.run(instanceId, 'activity', record.networkId);
          return;
        case 'file_kept':
          return write('file', record.networkId);
        case 'file_taken':
          remove.run(instanceId, 'file', record.networkId);
          return;
        case 'block':
          if (record.isBlocked) return write('block', record.person);
          remove.run(instanceId, 'block', record.person);
          return;
      }
    },
    close: () => database.close(),
  };
}
