import { contentIdOf } from '@trunkline/core/spi/storage';
import type { DownloadStore, Message, MessageMedia, PendingDownload } from '@trunkline/core/spi/storage';
import type { Connected, Transaction } from '../database/database.ts';
import { storeEvents } from '../deliveries/event-fan-out.ts';
import { isHeld } from '../processes/lease.ts';
import { bytes, entities, jsonOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { abandonContent, takeContent } from './upload-registry.ts';
import { NIL, uuidOf, uuidToFind } from '../rows/uuid.ts';

export function downloadStore(connected: Connected): DownloadStore {
  return {
    listNext: async (instanceIds, limit) => {
      const ids = [...new Set(instanceIds)].map((id) => uuidToFind('ins', id));
      return (await connected().all(NEXT, ids, limit)).map(readDownload);
    },
    isFull: async (instanceId, limit) =>
      limit <= 0 || (await connected().get(NTH, uuidToFind('ins', instanceId), limit - 1)) !== undefined,
    add: async (lease, download) =>
      connected().transaction(async (transaction) => {
        if (!(await isHeld(transaction, lease))) return 'fenced';
        await removeDownload(transaction, { instanceId: lease.instanceId, id: download.messageId });
        await storeDownload(transaction, download);
        return 'added';
      }),
    postpone: async (lease, { messageId, tries, dueAt }) =>
      connected().transaction(async (transaction) => {
        if (!(await isHeld(transaction, lease))) return 'fenced';
        const [instance, message] = [uuidToFind('ins', lease.instanceId), uuidToFind('msg', messageId)];
        await transaction.run(POSTPONE, instance, message, tries, dueAt);
        return 'postponed';
      }),
    complete: async (lease, { message, event }) =>
      connected().transaction(async (transaction) => {
        if (!(await isHeld(transaction, lease))) return 'fenced';
        const [instance, id] = [uuidToFind('ins', lease.instanceId), uuidToFind('msg', message.id)];
        if ((await transaction.run(REMOVE, instance, id)) === 0) return 'stale';
        const row = await transaction.get(LOCK_MEDIA, id);
        const before = row ? jsonOrNull<MessageMedia>(row, 'media') : null;
        if (before?.available)
          await abandonContent(transaction, message.id, contentIdOf({ id: message.id, media: before }));
        await takeContent(transaction, message);
        const { media = null } = entities.messageState.columns(message);
        await transaction.run('UPDATE trunkline.messages SET media = $2 WHERE id = $1', id, media);
        await storeEvents(transaction, [event]);
        return 'completed';
      }),
    remove: async (instanceId, messageId) =>
      (await connected().run(REMOVE, uuidToFind('ins', instanceId), uuidToFind('msg', messageId))) > 0,
    listExpired: async (before, limit) => (await connected().all(EXPIRED, before, limit)).map(readDownload),
    list: async (instanceId, { after, limit }) => {
      const from = after === null ? NIL : uuidOf('msg', after);
      return (await connected().all(LIST, uuidToFind('ins', instanceId), from, limit)).map(readDownload);
    },
    replace: async (instanceId, replacements) => {
      // Sorted by id, so that concurrent calls cannot deadlock.
      const replaced = [...replacements]
        .map(([messageId, { from, to }]) => ({
          id: uuidToFind('msg', messageId),
          from: Buffer.from(from),
          to: Buffer.from(to),
        }))
        .toSorted((a, b) => ((a.id ?? '') < (b.id ?? '') ? -1 : 1));
      return connected().transaction(async (transaction) => {
        for (const { id, from, to } of replaced)
          await transaction.run(REPLACE, uuidToFind('ins', instanceId), id, from, to);
      });
    },
  };
}

export async function storeDownload(transaction: Transaction, download: PendingDownload): Promise<void> {
  await transaction.insert('trunkline.pending_downloads', {
    ...entities.downloadPlan.columns(download),
    sealed_reference: Buffer.from(download.sealedReference),
  });
}

export async function forgetDownloads(transaction: Transaction, instance: string): Promise<void> {
  await transaction.run('DELETE FROM trunkline.pending_downloads WHERE instance_id = $1', instance);
}

/** Removes a download whose message was deleted, or that a new download replaces. */
export async function removeDownload(
  transaction: Transaction,
  { instanceId, id }: Pick<Message, 'instanceId' | 'id'>,
): Promise<void> {
  await transaction.run(REMOVE, uuidOf('ins', instanceId), uuidOf('msg', id));
}

function readDownload(row: Row): PendingDownload {
  return { ...entities.downloadPlan.read(row), sealedReference: bytes(row, 'sealed_reference') };
}

// Relies on pending_downloads_due.
const NEXT = `
  SELECT next.* FROM unnest($1::uuid[]) AS asked (instance_id)
  CROSS JOIN LATERAL (
    SELECT * FROM trunkline.pending_downloads
    WHERE pending_downloads.instance_id = asked.instance_id
    ORDER BY due_at, message_id
    LIMIT $2
  ) AS next
  ORDER BY next.due_at, next.message_id`;

// Ordered, so that the planner walks along the index for any instance.
const NTH = `
  SELECT 1 FROM trunkline.pending_downloads WHERE instance_id = $1 ORDER BY message_id LIMIT 1 OFFSET $2`;

const LOCK_MEDIA = 'SELECT media FROM trunkline.messages WHERE id = $1 FOR UPDATE';

const POSTPONE = `
  UPDATE trunkline.pending_downloads SET tries = $3, due_at = $4 WHERE instance_id = $1 AND message_id = $2`;

const REMOVE = 'DELETE FROM trunkline.pending_downloads WHERE instance_id = $1 AND message_id = $2';

// Relies on pending_downloads_expiring.
const EXPIRED = `
  SELECT * FROM trunkline.pending_downloads WHERE expires_at < $1 ORDER BY expires_at, message_id LIMIT $2`;

const LIST = `
  SELECT * FROM trunkline.pending_downloads WHERE instance_id = $1 AND message_id > $2
  ORDER BY message_id
  LIMIT $3`;

const REPLACE = `
  UPDATE trunkline.pending_downloads SET sealed_reference = $4
  WHERE instance_id = $1 AND message_id = $2 AND sealed_reference = $3`;
