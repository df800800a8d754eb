import { actionEntryId } from '@trunkline/core/spi/storage';
import type { ActionOutcome, QueuedMessage } from '@trunkline/core/spi/storage';
import type { Database } from '../database/database.ts';
import { actionOfEntry } from '../rows/action-of-entry.ts';
import { entities, text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { readMessage } from './message-row.ts';

const ACTION = `SELECT * FROM message_actions WHERE ${actionOfEntry('?')}`;

/** The action of an entry, with its message. */
export function queuedAction(
  database: Database,
  entryId: string,
): Required<Pick<QueuedMessage, 'action' | 'message'>> {
  const row = database.get(ACTION, entryId);
  const message = row && database.get('SELECT * FROM messages WHERE id = ?', text(row, 'message_id'));
  if (!row || !message)
    throw new Error(`The queue has an entry without a message (${entryId}): check the database for damage.`);
  return { action: entities.messageAction.read(row), message: readMessage(database, message) };
}

export function isActionQueued(database: Database, id: string): boolean {
  return database.get("SELECT 1 FROM message_actions WHERE id = ? AND status = 'queued'", id) !== undefined;
}

/** Writes the next state of an action that is still queued. */
export function updateAction(database: Database, { action }: ActionOutcome): void {
  const { status, error, sent_at, failed_at } = entities.messageAction.columns(action);
  const sql = `
    UPDATE message_actions SET status = ?, error = ?, sent_at = ?, failed_at = ?
    WHERE id = ? AND instance_id = ? AND status = 'queued'`;
  const values = [status ?? null, error ?? null, sent_at ?? null, failed_at ?? null];
  database.run(sql, ...values, action.id, action.instanceId);
}

/** Writes which messages a read mark covers. */
export function markRead(database: Database, { action, marked = [] }: ActionOutcome): void {
  const sql = `
    UPDATE messages SET read_at = ?
    WHERE id = ? AND instance_id = ? AND direction = 'inbound' AND read_at IS NULL`;
  for (const id of marked) database.run(sql, action.sentAt, id, action.instanceId);
}

/** Relies on message_actions_by_message. */
export const OF_MESSAGE = 'message_id = ? AND workspace_id = ?';

export function actionsOn(database: Database, messageId: string, workspaceId: string): readonly Row[] {
  return database.all(
    `SELECT * FROM message_actions WHERE ${OF_MESSAGE} ORDER BY id`,
    messageId,
    workspaceId,
  );
}

export function hasQueuedAction(database: Database, messageId: string, workspaceId: string): boolean {
  const sql = `SELECT 1 FROM message_actions WHERE ${OF_MESSAGE} AND status = 'queued' LIMIT 1`;
  return database.get(sql, messageId, workspaceId) !== undefined;
}

/** Removes the words of edits from the actions on a deleted message. */
export function forgetWordsOfActions(
  database: Database,
  { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
): void {
  database.run(`UPDATE message_actions SET text = NULL WHERE ${OF_MESSAGE}`, id, workspaceId);
}

/** Deletes the actions on a message. `leave` takes the entries of those that are queued out of their queue. */
export function deleteActionsOn(
  database: Database,
  { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
  leave: (entryId: string) => void,
): void {
  for (const row of actionsOn(database, id, workspaceId)) {
    const action = entities.messageAction.read(row);
    if (action.status === 'queued') leave(actionEntryId(action.id));
  }
  database.run(`DELETE FROM message_actions WHERE ${OF_MESSAGE}`, id, workspaceId);
}
