import { changeContent, contentIdOf, forgetWords } from '@trunkline/core/spi/storage';
import type { ActivityStore, ContentChange, Message } from '@trunkline/core/spi/storage';
import { keepContact } from './arrivals.ts';
import { noting } from './chat-filing.ts';
import type { Connected, Transaction } from '../database/database.ts';
import { removeDownload, storeDownload } from './download-store.ts';
import { storeEvents } from '../deliveries/event-fan-out.ts';
import { isHeld } from '../processes/lease.ts';
import {
  CHANGEABLE_NAMES,
  MESSAGE_COLUMNS,
  MESSAGE_NAMES,
  MESSAGE_RECORD,
  messageColumns,
  readMessage,
} from './message-row.ts';
import { entities, id, text } from '../rows/row.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { abandonContent, takeContent } from './upload-registry.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

export function activityStore(connected: Connected): ActivityStore {
  return {
    record: async (lease, { key, recordedAt, change, event }) =>
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

interface Changed {
  readonly before: Message;
  readonly after: Message;
}

/**
 * Returns null if the message is gone or no longer matches the change. Otherwise the message stays locked until the
 * transaction ends.
 */
async function lockContent(
  transaction: Transaction,
  instance: string,
  change: ContentChange,
): Promise<Changed | null> {
  const row = await transaction.get(LOCK, uuidToFind('msg', change.message.id), instance);
  if (!row) return null;
  const before = readMessage(row);
  const after = changeContent(before, change);
  return after && { before, after };
}

async function writeContent(transaction: Transaction, { before, after }: Changed): Promise<void> {
  const columns = entities.messageState.columns(after);
  await transaction.run(
    UPDATE,
    uuidOf('msg', after.id),
    ...CHANGEABLE_NAMES.map((name) => columns[name] ?? null),
  );
  if (after.deletedAt === null) return;
  await removeDownload(transaction, before);
  if (before.media) await abandonContent(transaction, before.id, contentIdOf(before));
  await forgetInEvents(transaction, after);
}

/** Removes the content of a deleted message from its events. */
async function forgetInEvents(transaction: Transaction, deleted: Message): Promise<void> {
  const about = [uuidOf('msg', deleted.id), uuidOf('ten', deleted.workspaceId)] as const;
  for (const row of await transaction.all(EVENTS_ABOUT, ...about)) {
    const payload = forgetWords(text(row, 'payload'), deleted);
    await transaction.run(SET_PAYLOAD, uuidOf('evt', id(row, 'id', 'evt')), encodeText(payload));
  }
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

const UPDATE = `
  UPDATE trunkline.messages SET ${CHANGEABLE_NAMES.map((name, index) => `${name} = $${index + 2}`).join(', ')}
  WHERE id = $1`;

/** Relies on event_log_by_message. */
const EVENTS_ABOUT = `
  SELECT event.id, event.payload
  FROM trunkline.event_log AS log
  CROSS JOIN LATERAL (SELECT id, payload FROM trunkline.events WHERE events.id = log.id LIMIT 1) AS event
  WHERE log.message_id = $1 AND log.workspace_id = $2`;

const SET_PAYLOAD = 'UPDATE trunkline.events SET payload = $2 WHERE id = $1';

const LOCK = `
  SELECT ${MESSAGE_COLUMNS} FROM trunkline.messages AS item
  WHERE item.id = $1 AND item.instance_id = $2
  FOR UPDATE OF item`;

/** Relies on activity_keys_by_age. */
const DELETE_KEYS = `
  DELETE FROM trunkline.activity_keys
  WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM trunkline.activity_keys WHERE recorded_at < $1 ORDER BY recorded_at LIMIT $2
  ))`;
