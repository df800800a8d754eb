import { changeContent, contentIdOf, forgetWords } from '@trunkline/core/spi/storage';
import type { ContentChange, Message } from '@trunkline/core/spi/storage';
import type { Database } from '../database/database.ts';
import { text } from '../rows/row.ts';
import { removeDownload } from './download-store.ts';
import { forgetWordsOfActions } from './message-actions.ts';
import { readMessage, updateMessage } from './message-row.ts';
import { abandonContent } from './upload-registry.ts';
import { deleteVotesOn } from './vote-store.ts';

/** A message before and after an edit or a deletion. */
interface Changed {
  readonly stored: Message;
  readonly changed: Message;
}

/** Returns null if the message is gone or no longer matches the change. */
export function changedContent(
  database: Database,
  instanceId: string,
  change: ContentChange,
): Changed | null {
  const row = database.get(
    'SELECT * FROM messages WHERE id = ? AND instance_id = ?',
    change.message.id,
    instanceId,
  );
  const stored = row ? readMessage(database, row) : null;
  const changed = stored && changeContent(stored, change);
  return stored && changed && { stored, changed };
}

/** Writes an edit or a deletion. Returns false if it no longer applies to the stored message. */
export function writeContent(database: Database, instanceId: string, change: ContentChange): boolean {
  const found = changedContent(database, instanceId, change);
  if (!found) return false;
  const { stored, changed } = found;
  const details = database.get(DETAILS, stored.id)?.['details'];
  updateMessage(database, changed, details ?? null);
  if (changed.deletedAt !== null) {
    forgetFile(database, stored);
    forgetInEvents(database, changed);
    forgetWordsOfActions(database, changed);
    deleteVotesOn(database, changed);
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
