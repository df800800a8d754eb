import type { SteppedMigration } from './stepped-migration.ts';

/** The last message whose network id is copied. */
const CURSOR = 'migration: network ids copied';
const ROWS = 5_000;

/** Copies the network ids of earlier messages to their table, then drops the index that had them. */
export const copiedNetworkIds: SteppedMigration = {
  task: 'copying the network ids of messages',
  step(connection) {
    const cursor = connection.prepare('SELECT value FROM settings WHERE name = ?').get(CURSOR);
    const after = String(cursor?.['value'] ?? '');
    const page = connection
      .prepare(
        'SELECT count(*) AS messages, max(id) AS last FROM (SELECT id FROM messages WHERE id > ? ORDER BY id LIMIT ?)',
      )
      .get(after, ROWS);
    const rows = Number(page?.['messages']);
    if (rows > 0) {
      const last = String(page?.['last']);
      // What was stored since the migration before is there by its trigger.
      connection
        .prepare(
          `INSERT OR IGNORE INTO network_ids (instance_id, network_id, direction, sender_id, message_id)
           SELECT instance_id, network_id, direction, sender_id, id FROM messages
           WHERE id > ? AND id <= ? AND has_readable_network_id = 0`,
        )
        .run(after, last);
      connection.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)').run(CURSOR, last);
    }
    if (rows === ROWS) return { isComplete: false, rows };
    connection.exec('DROP INDEX messages_by_network_id');
    connection.prepare('DELETE FROM settings WHERE name = ?').run(CURSOR);
    return { isComplete: true, rows };
  },
};
