import { idempotencyHash } from '../idempotency-hash.ts';
import { idempotencyView } from './0015-idempotency-log.ts';
import type { SteppedMigration } from './stepped-migration.ts';

const ROWS = 2_000;

/** Moves the records of before to the log and its index, the oldest first, then drops the table that had them. */
export const movedIdempotencyRecords: SteppedMigration = {
  task: 'moving idempotency keys',
  step(connection) {
    const records = connection
      .prepare('SELECT * FROM former_idempotency_records ORDER BY created_at LIMIT ?')
      .all(ROWS);
    const append = connection.prepare(
      'INSERT INTO idempotency_log (workspace_id, key, fingerprint, message_id, created_at) VALUES (?, ?, ?, ?, ?)',
    );
    const remove = connection.prepare(
      'DELETE FROM former_idempotency_records WHERE workspace_id = ? AND key = ?',
    );
    for (const { workspace_id, key, fingerprint, message_id, created_at } of records) {
      append.run(
        String(workspace_id),
        String(key),
        String(fingerprint),
        String(message_id),
        Number(created_at),
      );
      remove.run(String(workspace_id), String(key));
    }
    // With what processes of the version before have appended: the index has no gaps.
    const index = connection.prepare('INSERT INTO idempotency_index (hash, position) VALUES (?, ?)');
    const appended = connection
      .prepare(
        'SELECT position, workspace_id, key FROM idempotency_log WHERE position > (SELECT up_to FROM idempotency_indexed) ORDER BY position',
      )
      .all();
    for (const { position, workspace_id, key } of appended) {
      index.run(idempotencyHash(String(workspace_id), String(key)), Number(position));
    }
    connection.exec(
      'UPDATE idempotency_indexed SET up_to = (SELECT coalesce(max(position), up_to) FROM idempotency_log)',
    );
    if (records.length === ROWS) return { isComplete: false, rows: records.length };
    connection.exec('DROP VIEW idempotency_records; DROP TABLE former_idempotency_records');
    connection.exec(idempotencyView(['idempotency_log']));
    return { isComplete: true, rows: records.length };
  },
};
