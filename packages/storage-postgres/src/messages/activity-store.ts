import type { ActivityStore } from '@trunkline/core/spi/storage';
import { keepContact } from './arrivals.ts';
import { noting } from './chat-filing.ts';
import { lockContent, writeContent } from './content-change.ts';
import type { Connected } from '../database/database.ts';
import { storeDownload } from './download-store.ts';
import { storeEvents } from '../deliveries/event-fan-out.ts';
import { isHeld } from '../processes/lease.ts';
import { MESSAGE_NAMES, MESSAGE_RECORD, messageColumns } from './message-row.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { takeContent } from './upload-registry.ts';
import { uuidOf } from '../rows/uuid.ts';
import { replaceVotes } from './vote-store.ts';

export function activityStore(connected: Connected): ActivityStore {
  return {
    record: async (lease, { key, recordedAt, change, vote, event }) =>
      connected().transaction(async (transaction) => {
        if (!(await isHeld(transaction, lease))) return 'fenced';
        const instance = uuidOf('ins', lease.instanceId);
        const known = key === null ? null : encodeText(key);
        if (known !== null && (await transaction.get(KNOWN, instance, known))) return 'repeat';
        const changed = change && (await lockContent(transaction, instance, change));
        if (change && !changed) return 'stale';
        // A concurrent call may have added the key since the check above.
        if (known !== null && (await transaction.run(ADD_KEY, instance, known, recordedAt)) === 0)
          return 'repeat';
        if (changed) await writeContent(transaction, changed);
        const unvoted = vote && (await replaceVotes(transaction, instance, vote));
        if (unvoted) return unvoted;
        await storeEvents(transaction, [event]);
        return 'recorded';
      }),
    recordEcho: async (lease, { message, event, download }) =>
      connected().transaction(async (transaction) => {
        if (!(await isHeld(transaction, lease))) return 'fenced';
        if (message.contact && !(await keepContact(transaction, message.contact.id))) return 'contact_gone';
        const noted = await transaction.run(STORE_ECHO, JSON.stringify([messageColumns(message, '')]));
        if (noted === 0) return 'repeat';
        await takeContent(transaction, message);
        if (download) await storeDownload(transaction, download);
        await storeEvents(transaction, [event]);
        return 'recorded';
      }),
    deleteKeys: async (before, limit) => connected().run(DELETE_KEYS, before, limit),
  };
}

const STORE_ECHO = `
  WITH stored AS (
    INSERT INTO trunkline.messages (${MESSAGE_NAMES})
    SELECT ${MESSAGE_NAMES} FROM json_to_recordset($1::text::json) AS record (${MESSAGE_RECORD})
    ON CONFLICT (instance_id, network_id, direction, sender_id) DO NOTHING
    RETURNING id
  )
  ${noting('stored')}`;

const KNOWN = 'SELECT 1 FROM trunkline.activity_keys WHERE instance_id = $1 AND key = $2';

const ADD_KEY = `
  INSERT INTO trunkline.activity_keys (instance_id, key, recorded_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;

/** Relies on activity_keys_by_age. */
const DELETE_KEYS = `
  DELETE FROM trunkline.activity_keys
  WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM trunkline.activity_keys WHERE recorded_at < $1 ORDER BY recorded_at LIMIT $2
  ))`;
