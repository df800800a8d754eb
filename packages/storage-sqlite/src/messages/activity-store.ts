import type { ActivityStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import { currentContact } from '../people/contact-store.ts';
import { writeContent } from './content-change.ts';
import { storeDownload } from './download-store.ts';
import { storeEvents } from '../deliveries/event-fan-out.ts';
import { isHeld } from '../processes/lease.ts';
import { insertMessage } from './message-row.ts';
import { takeContent } from './upload-registry.ts';
import { replaceVotes } from './vote-store.ts';

export function activityStore(connected: Connected): ActivityStore {
  return {
    record: async (lease, { key, recordedAt, change, vote, event }) => {
      const { database, newId, write } = connected();
      return write((announce) => {
        const { instanceId } = lease;
        if (!isHeld(database, lease)) return 'fenced';
        if (key !== null && database.get(KNOWN, instanceId, key)) return 'repeat';
        if (change && !writeContent(database, instanceId, change)) return 'stale';
        const unvoted = vote && replaceVotes(database, instanceId, vote);
        if (unvoted) return unvoted;
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

const KNOWN = 'SELECT 1 FROM activity_keys WHERE instance_id = ? AND key = ?';

const ECHOED = `
  SELECT 1 FROM network_ids WHERE instance_id = ? AND network_id = ? AND direction = 'outbound'`;

// Relies on activity_keys_by_age.
const DELETE_KEYS = `
  DELETE FROM activity_keys WHERE (instance_id, key) IN (
    SELECT instance_id, key FROM activity_keys WHERE recorded_at < ? ORDER BY recorded_at LIMIT ?
  )`;
