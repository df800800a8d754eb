import type { IdempotencyRecord, Logger } from '@trunkline/core/spi/storage';
import type { Database } from '../database/database.ts';
import { idempotencyHash } from './idempotency-hash.ts';
import { positionsByHash } from './positions-by-hash.ts';
import { entities, integer, text } from '../rows/row.ts';
import type { Writer } from '../database/writer.ts';

/** When this many positions are in memory, they are written to the index. */
const FLUSH_AT = 8_192;
/** The number of index entries per transaction. A larger transaction would keep acceptances waiting. */
const SLICE = 512;

interface StoredRecord {
  readonly record: IdempotencyRecord;
  readonly position: number;
}

interface FoundKey {
  readonly hash: number;
  /** The latest record of this key; null if it has none. */
  readonly stored: StoredRecord | null;
}

/** The idempotency records as one connection sees them. */
export interface IdempotencyRecords {
  find(workspaceId: string, key: string): FoundKey;
  /** Appends a record in the open transaction, replacing the record that was found, if any. */
  append(workspaceId: string, record: IdempotencyRecord, found: FoundKey): void;
}

/**
 * The idempotency records. Keys are random, so in an index each acceptance would change a different page. Therefore a
 * record is appended to a log in the transaction of its message, and the index by key hash is written thousands of
 * records later, in the order of the hashes. Memory holds the tail of the log: the positions of records that are not in
 * the index yet. A process reads the tail before its first lookup, and before each later lookup it reads the records
 * that other processes have appended. Acceptances are decided under the write lock, so no process can append in
 * between.
 */
export interface IdempotencyLog extends IdempotencyRecords {
  /** The same records in a transaction of the caller. */
  within(transaction: Database): IdempotencyRecords;
  /** Stops writing to the index. */
  close(): Promise<void>;
}

interface Parts {
  readonly database: Database;
  readonly writer: Writer;
  readonly logger: Logger;
}

export function idempotencyLog({ database, writer, logger }: Parts): IdempotencyLog {
  const tail = positionsByHash();
  /** The last position that was read from the log or appended to it. */
  let known = 0;
  /** The position up to which the index was complete when last read. The tail begins after this position. */
  let indexed = 0;
  /** Whether the open transaction has looked at the log. */
  let hasLooked = false;
  let flushing: Promise<void> | null = null;
  let isClosed = false;

  /**
   * Reads new records of the log. Skips indexed records, because another process may have appended and indexed many.
   */
  const catchUp = (): number => {
    const upTo = readIndexed(database);
    if (upTo > indexed) {
      indexed = upTo;
      known = Math.max(known, upTo);
      tail.deleteWhere((position) => position <= upTo);
    }
    for (const row of database.all(AFTER, known)) {
      known = integer(row, 'position');
      tail.add(idempotencyHash(text(row, 'workspace_id'), text(row, 'key')), known);
    }
    return known;
  };
  const flushIfLong = (): void => {
    if (tail.size() >= FLUSH_AT && !isClosed) flushing ??= flush().finally(() => (flushing = null));
  };
  /**
   * Catches up, because other processes append between transactions. If the open transaction fails, forgets the
   * positions that were read or appended in it.
   */
  const look = (): void => {
    if (hasLooked) return;
    const before = catchUp();
    if (!database.isTransaction()) {
      flushIfLong();
      return;
    }
    hasLooked = true;
    database.onEnd((isCommitted) => {
      hasLooked = false;
      if (!isCommitted && known !== before) {
        known = before;
        tail.deleteWhere((position) => position > before);
      }
      flushIfLong();
    });
  };

  const flush = async (): Promise<void> => {
    try {
      const upTo = catchUp();
      const entries = tail.entries().toSorted(([a], [b]) => a - b);
      if (entries.length < FLUSH_AT) return;
      for (let from = 0; from < entries.length; from += SLICE) {
        if (isClosed) return;
        await writer.run(() => {
          for (const [hash, position] of entries.slice(from, from + SLICE)) {
            database.run(ADD_TO_INDEX, hash, position, position);
          }
        });
      }
      await writer.run(() => database.run(COMPLETE_INDEX, upTo, upTo));
    } catch (error) {
      logger.warn(
        { err: error },
        'the index of the idempotency keys could not be written: it is tried again with the next message, and no key is forgotten meanwhile; check the database',
      );
    }
  };

  const find = (own: Database, key: WorkspaceKey, later: readonly number[]): FoundKey => {
    const hash = idempotencyHash(key.workspaceId, key.key);
    const indexed = own.all('SELECT position FROM idempotency_index WHERE hash = ?', hash);
    const positions = [...later, ...tail.get(hash), ...indexed.map((row) => integer(row, 'position'))];
    for (const position of positions.toSorted((a, b) => b - a)) {
      const row = own.get('SELECT * FROM idempotency_log WHERE position = ?', position);
      if (row?.['workspace_id'] === key.workspaceId && row['key'] === key.key) {
        return { hash, stored: { record: entities.idempotencyRecord.read(row), position } };
      }
    }
    return { hash, stored: null };
  };

  return {
    find(workspaceId, key) {
      look();
      return find(database, { workspaceId, key }, []);
    },
    append(workspaceId, record, found) {
      look();
      known = append(database, workspaceId, record, found);
      tail.add(found.hash, known);
    },
    within: (transaction) => ({
      find(workspaceId, key) {
        const upTo = catchUp();
        // Not awaited, because the flush waits for the lock, which the caller's transaction may hold.
        flushIfLong();
        const rows = transaction.all(OF_KEY_AFTER, upTo, workspaceId, key);
        return find(
          transaction,
          { workspaceId, key },
          rows.map((row) => integer(row, 'position')),
        );
      },
      append: (workspaceId, record, found) => void append(transaction, workspaceId, record, found),
    }),
    async close() {
      isClosed = true;
      await flushing;
    },
  };
}

/** Deletes at most `limit` records created before `before`. Returns their number. Relies on idempotency_log_by_age. */
export function deleteIdempotencyRecords(database: Database, before: number, limit: number): number {
  const rows = database.all(
    'SELECT position, workspace_id, key FROM idempotency_log WHERE created_at < ? ORDER BY created_at LIMIT ?',
    before,
    limit,
  );
  for (const row of rows) {
    deleteRecord(
      database,
      integer(row, 'position'),
      idempotencyHash(text(row, 'workspace_id'), text(row, 'key')),
    );
  }
  return rows.length;
}

/**
 * Deletes the record of a message that is being deleted, because a repeated request would have no message to return.
 * Finds the record by its creation time, which is also the message's. Relies on idempotency_log_by_age.
 */
export function deleteRecordOf(
  database: Database,
  {
    workspaceId,
    messageId,
    createdAt,
  }: { readonly workspaceId: string; readonly messageId: string; readonly createdAt: number },
): void {
  const rows = database.all(
    'SELECT position, key FROM idempotency_log WHERE created_at = ? AND +workspace_id = ? AND +message_id = ?',
    createdAt,
    workspaceId,
    messageId,
  );
  for (const row of rows)
    deleteRecord(database, integer(row, 'position'), idempotencyHash(workspaceId, text(row, 'key')));
}

interface WorkspaceKey {
  readonly workspaceId: string;
  readonly key: string;
}

const AFTER = 'SELECT position, workspace_id, key FROM idempotency_log WHERE position > ? ORDER BY position';

/** Finds only the few rows that the caller's transaction has appended. */
const OF_KEY_AFTER =
  'SELECT position FROM idempotency_log WHERE position > ? AND +workspace_id = ? AND +key = ?';

/** Skips deleted records, because nothing would ever delete their index entries. */
const ADD_TO_INDEX = `
  INSERT OR IGNORE INTO idempotency_index (hash, position)
  SELECT ?, ? WHERE EXISTS (SELECT 1 FROM idempotency_log WHERE position = ?)`;

const COMPLETE_INDEX = 'UPDATE idempotency_indexed SET up_to = ? WHERE up_to < ?';

function readIndexed(database: Database): number {
  const row = database.get('SELECT up_to FROM idempotency_indexed');
  return row ? integer(row, 'up_to') : 0;
}

function append(
  database: Database,
  workspaceId: string,
  { key, fingerprint, messageId, createdAt }: IdempotencyRecord,
  { hash, stored }: FoundKey,
): number {
  if (stored) deleteRecord(database, stored.position, hash);
  return database.insert('idempotency_log', {
    workspace_id: workspaceId,
    key,
    fingerprint,
    message_id: messageId,
    created_at: createdAt,
  });
}

function deleteRecord(database: Database, position: number, hash: number): void {
  database.run('DELETE FROM idempotency_log WHERE position = ?', position);
  database.run('DELETE FROM idempotency_index WHERE hash = ? AND position = ?', hash, position);
}
