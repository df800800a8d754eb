import { changeContent, contentIdOf, forgetWords } from '@trunkline/core/spi/storage';
import type { ContentChange, Message } from '@trunkline/core/spi/storage';
import type { Transaction } from '../database/database.ts';
import { entities, id, text } from '../rows/row.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';
import { removeDownload } from './download-store.ts';
import { CHANGEABLE_NAMES, MESSAGE_COLUMNS, readMessage } from './message-row.ts';
import { abandonContent } from './upload-registry.ts';

/** A message before and after an edit or a deletion. */
interface Changed {
  readonly before: Message;
  readonly after: Message;
}

/**
 * Returns null if the message is gone or no longer matches the change. Otherwise the message stays locked until the
 * transaction ends.
 */
export async function lockContent(
  transaction: Transaction,
  instance: string | null,
  change: ContentChange,
): Promise<Changed | null> {
  const row = await transaction.get(LOCK, uuidToFind('msg', change.message.id), instance);
  if (!row) return null;
  const before = readMessage(row);
  const after = changeContent(before, change);
  return after && { before, after };
}

export async function writeContent(transaction: Transaction, { before, after }: Changed): Promise<void> {
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
  const about = [uuidOf('msg', after.id), uuidOf('ten', after.workspaceId)] as const;
  await transaction.run(FORGET_ACTIONS, ...about);
  await transaction.run(DELETE_VOTES, ...about);
}

/** Removes the content of a deleted message from its events. */
async function forgetInEvents(transaction: Transaction, deleted: Message): Promise<void> {
  const about = [uuidOf('msg', deleted.id), uuidOf('ten', deleted.workspaceId)] as const;
  for (const row of await transaction.all(EVENTS_ABOUT, ...about)) {
    const payload = forgetWords(text(row, 'payload'), deleted);
    await transaction.run(SET_PAYLOAD, uuidOf('evt', id(row, 'id', 'evt')), encodeText(payload));
  }
}

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

// Relies on poll_votes_by_message.
const DELETE_VOTES = 'DELETE FROM trunkline.poll_votes WHERE message_id = $1 AND workspace_id = $2';

// Relies on message_actions_by_message.
const FORGET_ACTIONS = `
  UPDATE trunkline.message_actions SET text = NULL WHERE message_id = $1 AND workspace_id = $2`;
