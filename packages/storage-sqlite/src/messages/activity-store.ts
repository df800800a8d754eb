import { changeContent, contentIdOf, forgetWords } from '@trunkline/core/spi/storage';
import type { ActivityStore, ContentChange, Message } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import { currentContact } from '../people/contact-store.ts';
import type { Database } from '../database/database.ts';
import { removeDownload, storeDownload } from './download-store.ts';
import { storeEvents } from '../deliveries/event-fan-out.ts';
import { isHeld } from '../processes/lease.ts';
import { insertMessage, readMessage, updateMessage } from './message-row.ts';
import { text } from '../rows/row.ts';
import { abandonContent, takeContent } from './upload-registry.ts';

export function activityStore(connected: Connected): ActivityStore {
  return {
    record: async (lease, { key, recordedAt, change, event }) => {
      const { database, newId, write } = connected();
      return write((announce) => {
        const { instanceId } = lease;
        if (!isHeld(database, lease)) return 'fenced';
        if (key !== null && database.get(KNOWN, instanceId, key)) return 'repeat';
        if (change && !writeContent(database, instanceId, change)) return 'stale';
        if (key !== null) {
          database.insert('activity_keys', { instance_id: instanceId, key, recorded_at: recordedAt });
        }
        storeEvents({ database, newId, announce }, [event]);
        return 'recorded';
      });
    },
    recordEcho: async (lease, { message, event, download }) => {
      const { database, newId, write } = connected();
      return write((announce) => {
        if (!isHeld(database, lease)) return 'fenced';
        if (database.get(ECHOED, lease.instanceId, message.networkId)) return 'repeat';
        if (message.contact && !currentContact(database, message.contact.id)) return 'contact_gone';
        takeContent(database, message);
        insertMessage(database, message, { senderId: '' });
        if (download) storeDownload(database, download);
        storeEvents({ database, newId, announce }, [event]);
        return 'recorded';
      });
    },
    deleteKeys: async (before, limit) => {
      const { database, write } = connected();
      return write(() => database.run(DELETE_KEYS, before, limit));
    },
  };
}

/** Writes the change. Returns false if it no longer applies to the stored message. */
function writeContent(database: Database, instanceId: string, change: ContentChange): boolean {
  const row = database.get(
    'SELECT * FROM messages WHERE id = ? AND instance_id = ?',
    change.message.id,
    instanceId,
  );
  const stored = row ? readMessage(database, row) : null;
  const changed = stored && changeContent(stored, change);
  if (!stored || !changed) return false;
  const details = database.get(DETAILS, stored.id)?.['details'];
  updateMessage(database, changed, details ?? null);
  if (changed.deletedAt !== null) {
    forgetFile(database, stored);
    forgetInEvents(database, changed);
  }
  return true;
}

/** Removes the content of a deleted message from its events. */
function forgetInEvents(database: Database, deleted: Message): void {
  for (const row of database.all(EVENTS_ABOUT, deleted.id, deleted.workspaceId)) {
    const payload = forgetWords(text(row, 'payload'), deleted);
    database.run('UPDATE events SET payload = ? WHERE id = ?', payload, text(row, 'id'));
  }
}

function forgetFile(database: Database, message: Message): void {
  removeDownload(database, message.instanceId, message.id);
  if (message.media) abandonContent(database, message.id, contentIdOf(message));
}

// Relies on event_log_by_message.
const EVENTS_ABOUT = `
  SELECT events.id, events.payload FROM event_log CROSS JOIN events ON events.id = event_log.id
  WHERE event_log.message_id = ? AND event_log.workspace_id = ?`;

const DETAILS = 'SELECT details FROM message_details WHERE message_id = ?';

const KNOWN = 'SELECT 1 FROM activity_keys WHERE instance_id = ? AND key = ?';

const ECHOED = `
  SELECT 1 FROM network_ids WHERE instance_id = ? AND network_id = ? AND direction = 'outbound'`;

// Relies on activity_keys_by_age.
const DELETE_KEYS = `
  DELETE FROM activity_keys WHERE (instance_id, key) IN (
    SELECT instance_id, key FROM activity_keys WHERE recorded_at < ? ORDER BY recorded_at LIMIT ?
  )`;
