import { contentIdOf, contentNotFree, idToUuid } from '@trunkline/core/spi/storage';
import type { UploadRegistry, Message, MessageMedia } from '@trunkline/core/spi/storage';
import { columnArrays, sentRows } from '../rows/column-arrays.ts';
import type { Connected, Transaction } from '../database/database.ts';
import { flag, id, idOrNull, jsonOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { uuidOf } from '../rows/uuid.ts';

export function uploadRegistry(connected: Connected): UploadRegistry {
  return {
    reserve: async (contentId, now) => {
      const upload = idToUuid('upl', contentId);
      await connected().run(BEGIN_CONTENT, upload ?? uuidOf('msg', contentId), now, upload !== null);
    },
    reserveUnknown: async (contentIds, now) => {
      const rows = contentIds.map((content) => {
        const upload = idToUuid('upl', content);
        return { message_id: upload ?? uuidOf('msg', content), is_upload: upload !== null };
      });
      return connected().run(RESERVE_UNKNOWN, ...columnArrays(FOUND, rows), now);
    },
    listAbandoned: async (before, limit) => (await connected().all(ABANDONED, before, limit)).map(contentId),
    listOrphaned: async (limit) => (await connected().all(ORPHANED, limit)).map(contentId),
    release: async (content) =>
      connected().transaction((transaction) => forgetContent(transaction, contentUuid(content))),
  };
}

function contentId(row: Row): string {
  return id(row, 'message_id', flag(row, 'is_upload') ? 'upl' : 'msg');
}

/** The uuid of the id of an upload or a message; null, which equals no row, if the id has neither form. */
export function contentUuid(content: string): string | null {
  return idToUuid('upl', content) ?? idToUuid('msg', content);
}

const BEGIN_CONTENT = `
  INSERT INTO trunkline.contents (message_id, begun_at, is_upload) VALUES ($1, $2, $3)
  ON CONFLICT (message_id) DO UPDATE SET begun_at = excluded.begun_at WHERE contents.instance_id IS NULL`;

const FOUND = { message_id: 'uuid', is_upload: 'boolean' } as const;

// Relies on the primary key.
const RESERVE_UNKNOWN = `
  INSERT INTO trunkline.contents (message_id, begun_at, is_upload)
  SELECT message_id, $3::bigint, is_upload FROM ${sentRows(FOUND, 'found')}
  ON CONFLICT (message_id) DO NOTHING`;

// Relies on contents_begun. Contents begun at the same time come in the order of their ids, prefix included.
const ABANDONED = `
  SELECT message_id, is_upload FROM trunkline.contents
  WHERE instance_id IS NULL AND begun_at < $1
  ORDER BY begun_at, is_upload, message_id
  LIMIT $2`;

// Relies on contents_by_instance.
const ORPHANED = `
  SELECT contents.message_id, contents.is_upload
  FROM trunkline.instances_with_leftovers AS deleted
  CROSS JOIN LATERAL (
    SELECT message_id, is_upload FROM trunkline.contents
    WHERE contents.instance_id = deleted.instance_id
    ORDER BY message_id
    LIMIT $1
  ) AS contents
  LIMIT $1`;

/** Makes reserved content part of the message that is about to be stored. */
export async function takeContent(transaction: Transaction, message: Message): Promise<void> {
  const { id: messageId, instanceId, media } = message;
  if (!media?.available) return;
  const content = contentUuid(contentIdOf(message));
  const owner = media.uploadId === undefined ? null : uuidOf('msg', messageId);
  const taken = await transaction.run(TAKE_OVER, content, uuidOf('ins', instanceId), owner);
  if (taken === 0) throw contentNotFree(message);
}

const TAKE_OVER = `
  UPDATE trunkline.contents SET instance_id = $2, owner_id = $3
  WHERE message_id = $1 AND instance_id IS NULL`;

/** Clears the owner of a message's content, so that the content is swept. */
export async function abandonContent(
  transaction: Transaction,
  messageId: string,
  content: string,
): Promise<void> {
  await transaction.run(ABANDON, contentUuid(content), uuidOf('msg', messageId));
}

const ABANDON = `
  UPDATE trunkline.contents SET instance_id = NULL, owner_id = NULL
  WHERE message_id = $1 AND coalesce(owner_id, message_id) = $2`;

/** Notes a deleted instance that still has content, so that the content is swept. */
export async function orphanContent(transaction: Transaction, instance: string): Promise<void> {
  await transaction.run(ORPHAN, instance);
}

const ORPHAN = `
  INSERT INTO trunkline.instances_with_leftovers (instance_id)
  SELECT $1::uuid WHERE EXISTS (SELECT 1 FROM trunkline.contents WHERE contents.instance_id = $1::uuid)
  ON CONFLICT DO NOTHING`;

async function forgetContent(transaction: Transaction, content: string | null): Promise<void> {
  const forgotten = await transaction.get(FORGET, content);
  if (!forgotten) return;
  const messageId = id(forgotten, 'owner_id', 'msg');
  const message = uuidOf('msg', messageId);
  const row = await transaction.get('SELECT media FROM trunkline.messages WHERE id = $1 FOR UPDATE', message);
  const media = row && jsonOrNull<MessageMedia>(row, 'media');
  // Skips a message whose file was replaced.
  if (media && contentUuid(contentIdOf({ id: messageId, media })) === content) {
    const without = JSON.stringify({ ...media, available: false });
    await transaction.run('UPDATE trunkline.messages SET media = $2 WHERE id = $1', message, without);
  }
  const instance = idOrNull(forgotten, 'instance_id', 'ins');
  if (instance === null) return;
  // The lock makes calls run one after the other, so that the call that forgets the last content sees that it is the
  // last.
  await transaction.run(LOCK_LEFTOVERS, uuidOf('ins', instance));
  await transaction.run(NO_MORE_LEFTOVERS, uuidOf('ins', instance));
}

const FORGET = `
  DELETE FROM trunkline.contents WHERE message_id = $1
  RETURNING instance_id, coalesce(owner_id, message_id) AS owner_id`;
const LOCK_LEFTOVERS = 'SELECT 1 FROM trunkline.instances_with_leftovers WHERE instance_id = $1 FOR UPDATE';
const NO_MORE_LEFTOVERS = `
  DELETE FROM trunkline.instances_with_leftovers
  WHERE instance_id = $1 AND NOT EXISTS (SELECT 1 FROM trunkline.contents WHERE contents.instance_id = $1)`;
