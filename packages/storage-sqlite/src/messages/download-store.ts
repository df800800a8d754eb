import { contentIdOf } from '@trunkline/core/spi/storage';
import type { DownloadStore, PendingDownload } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { storeEvents } from '../deliveries/event-fan-out.ts';
import { isHeld } from '../processes/lease.ts';
import { readMessage } from './message-row.ts';
import { BYTES, bytes, entities } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { abandonContent, takeContent } from './upload-registry.ts';

export function downloadStore(connected: Connected): DownloadStore {
  return {
    listNext: async (instanceIds, limit) => {
      const { database } = connected();
      return database
        .snapshot(() => [...new Set(instanceIds)].flatMap((id) => database.all(NEXT, id, limit)))
        .map(readDownload)
        .toSorted((a, b) => a.dueAt - b.dueAt || (a.messageId < b.messageId ? -1 : 1));
    },
    isFull: async (instanceId, limit) =>
      limit <= 0 || connected().database.get(NTH, instanceId, limit - 1) !== undefined,
    add: async (lease, download) => {
      const { database, write } = connected();
      return write(() => {
        if (!isHeld(database, lease)) return 'fenced';
        removeDownload(database, lease.instanceId, download.messageId);
        storeDownload(database, download);
        return 'added';
      });
    },
    postpone: async (lease, { messageId, tries, dueAt }) => {
      const { database, write } = connected();
      return write(() => {
        if (!isHeld(database, lease)) return 'fenced';
        database.run(POSTPONE, tries, dueAt, lease.instanceId, messageId);
        return 'postponed';
      });
    },
    complete: async (lease, { message, event }) => {
      const { database, newId, write } = connected();
      return write((announce) => {
        if (!isHeld(database, lease)) return 'fenced';
        if (!removeDownload(database, lease.instanceId, message.id)) return 'stale';
        const row = database.get('SELECT * FROM messages WHERE id = ?', message.id);
        const before = row ? readMessage(database, row) : null;
        if (before?.media?.available) abandonContent(database, before.id, contentIdOf(before));
        takeContent(database, message);
        const { media = null } = entities.messageState.columns(message);
        database.run('UPDATE messages SET media = ? WHERE id = ?', media, message.id);
        storeEvents({ database, newId, announce }, [event]);
        return 'completed';
      });
    },
    remove: async (instanceId, messageId) => {
      const { database, write } = connected();
      return write(() => removeDownload(database, instanceId, messageId));
    },
    listExpired: async (before, limit) =>
      // Relies on pending_downloads_expiring.
      connected()
        .database.all(
          'SELECT * FROM pending_downloads WHERE expires_at < ? ORDER BY expires_at, message_id LIMIT ?',
          before,
          limit,
        )
        .map(readDownload),
    list: async (instanceId, { after, limit }) =>
      connected()
        .database.all(
          'SELECT * FROM pending_downloads WHERE instance_id = ? AND message_id > ? ORDER BY message_id LIMIT ?',
          instanceId,
          after ?? '',
          limit,
        )
        .map(readDownload),
    replace: async (instanceId, replacements) => {
      const { database, write } = connected();
      const copy = [...replacements].map(([id, { from, to }]) => [id, from.slice(), to.slice()] as const);
      return write(() => {
        for (const [messageId, from, to] of copy) database.run(REPLACE, to, instanceId, messageId, from);
      });
    },
  };
}

export function storeDownload(database: Database, download: PendingDownload): void {
  database.insert('pending_downloads', {
    ...entities.downloadPlan.columns(download),
    sealed_reference: download.sealedReference.slice(),
  });
}

export function forgetDownloads(database: Database, instanceId: string): void {
  database.run('DELETE FROM pending_downloads WHERE instance_id = ?', instanceId);
}

export function removeDownload(database: Database, instanceId: string, messageId: string): boolean {
  return (
    database.run(
      'DELETE FROM pending_downloads WHERE instance_id = ? AND message_id = ?',
      instanceId,
      messageId,
    ) > 0
  );
}

function readDownload(row: Row): PendingDownload {
  return { ...entities.downloadPlan.read(row), sealedReference: bytes(row, 'sealed_reference') };
}

// Relies on pending_downloads_due.
const NEXT = 'SELECT * FROM pending_downloads WHERE instance_id = ? ORDER BY due_at, message_id LIMIT ?';

const NTH = 'SELECT 1 FROM pending_downloads WHERE instance_id = ? LIMIT 1 OFFSET ?';

const POSTPONE =
  'UPDATE pending_downloads SET tries = ?, due_at = ? WHERE instance_id = ? AND message_id = ?';

const REPLACE = `
  UPDATE pending_downloads SET sealed_reference = ${BYTES}
  WHERE instance_id = ? AND message_id = ? AND sealed_reference = ${BYTES}`;
