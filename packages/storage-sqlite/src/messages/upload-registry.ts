import { contentIdOf, contentNotFree } from '@trunkline/core/spi/storage';
import type { UploadRegistry, Message } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { text, textOrNull } from '../rows/row.ts';

export function uploadRegistry(connected: Connected): UploadRegistry {
  return {
    reserve: async (contentId, now) => {
      const { database, write } = connected();
      await write(() =>
        database.run(
          `INSERT INTO contents (message_id, begun_at) VALUES (?, ?)
           ON CONFLICT (message_id) DO UPDATE SET begun_at = excluded.begun_at WHERE instance_id IS NULL`,
          contentId,
          now,
        ),
      );
    },
    reserveUnknown: async (contentIds, now) => {
      const { database, write } = connected();
      const unknown = contentIds.filter((contentId) => !database.get(KNOWN, contentId));
      if (unknown.length === 0) return 0;
      return write(() =>
        unknown.reduce((count, contentId) => count + database.run(RESERVE_UNKNOWN, contentId, now), 0),
      );
    },
    listAbandoned: async (before, limit) =>
      connected()
        // Relies on contents_begun.
        .database.all(
          'SELECT message_id FROM contents WHERE instance_id IS NULL AND begun_at < ? ORDER BY begun_at, message_id LIMIT ?',
          before,
          limit,
        )
        .map((row) => text(row, 'message_id')),
    listOrphaned: async (limit) =>
      connected()
        // Relies on contents_by_instance.
        .database.all(
          `SELECT contents.message_id
           FROM instances_with_leftovers AS deleted CROSS JOIN contents ON contents.instance_id = deleted.instance_id
           ORDER BY deleted.instance_id, contents.message_id
           LIMIT ?`,
          limit,
        )
        .map((row) => text(row, 'message_id')),
    release: async (contentId) => {
      const { database, write } = connected();
      await write(() => forgetContent(database, contentId));
    },
  };
}

const KNOWN = 'SELECT 1 FROM contents WHERE message_id = ?';
const RESERVE_UNKNOWN = 'INSERT OR IGNORE INTO contents (message_id, begun_at) VALUES (?, ?)';

/** Makes reserved content part of the message that is about to be stored. */
export function takeContent(database: Database, message: Message): void {
  const { id, instanceId, media } = message;
  if (!media?.available) return;
  const taken = database.run(
    'UPDATE contents SET instance_id = ?, owner_id = ? WHERE message_id = ? AND instance_id IS NULL',
    instanceId,
    media.uploadId === undefined ? null : id,
    contentIdOf(message),
  );
  if (taken === 0) throw contentNotFree(message);
}

/** Clears the owner of a message's content, so that the content is swept. */
export function abandonContent(database: Database, messageId: string, contentId: string): void {
  database.run(
    'UPDATE contents SET instance_id = NULL, owner_id = NULL WHERE message_id = ? AND coalesce(owner_id, message_id) = ?',
    contentId,
    messageId,
  );
}

/**
 * Like `abandonContent`, for a message that is being deleted for good. Its content is swept before all other content.
 */
export function abandonDeletedContent(database: Database, message: Message): void {
  database.run(
    `UPDATE contents SET instance_id = NULL, owner_id = NULL, begun_at = 0
     WHERE message_id = ? AND instance_id IS NOT NULL AND coalesce(owner_id, message_id) = ?`,
    contentIdOf(message),
    message.id,
  );
}

/** Notes a deleted instance that still has content, so that the content is swept. */
export function orphanContent(database: Database, instanceId: string): void {
  if (!hasContents(database, instanceId)) return;
  database.run('INSERT OR IGNORE INTO instances_with_leftovers (instance_id) VALUES (?)', instanceId);
}

function forgetContent(database: Database, contentId: string): void {
  const row = database.get(
    'DELETE FROM contents WHERE message_id = ? RETURNING instance_id, coalesce(owner_id, message_id) AS owner_id',
    contentId,
  );
  if (!row) return;
  // Skips a message whose file was replaced. Uses JSON's false, because json_set would turn SQL's into a 0.
  database.run(
    `UPDATE messages SET media = json_set(media, '$.available', json('false'))
     WHERE id = ? AND media IS NOT NULL AND coalesce(json_extract(media, '$.uploadId'), id) = ?`,
    text(row, 'owner_id'),
    contentId,
  );
  const instanceId = textOrNull(row, 'instance_id');
  if (instanceId === null || hasContents(database, instanceId)) return;
  database.run('DELETE FROM instances_with_leftovers WHERE instance_id = ?', instanceId);
}

function hasContents(database: Database, instanceId: string): boolean {
  return database.get('SELECT 1 FROM contents WHERE instance_id = ? LIMIT 1', instanceId) !== undefined;
}
