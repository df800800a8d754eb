import { failActions, failQueue } from '@trunkline/core/spi/storage';
import type { MessageChange, QueueFailure } from '@trunkline/core/spi/storage';
import { storeEvents } from '../deliveries/event-fan-out.ts';
import type { Transaction } from '../deliveries/event-fan-out.ts';
import { finishAction } from './action-store.ts';
import { queuedAction } from './message-actions.ts';
import { readMessage, updateMessage, updateProgress } from './message-row.ts';
import { stopWaiting } from './scheduled-messages.ts';
import { actionOfEntry } from '../rows/action-of-entry.ts';
import { text } from '../rows/row.ts';

/** Writes a message's next state if its status is still the expected one. Returns whether it was. */
export function changeMessage(
  transaction: Transaction,
  { message, expectedStatus, events }: MessageChange,
): boolean {
  const { database } = transaction;
  const stored = database.get(STORED, message.id);
  if (stored?.['status'] !== expectedStatus || stored['instance_id'] !== message.instanceId) return false;
  if (expectedStatus === 'queued') updateMessage(database, message, stored['details']);
  else updateProgress(database, message);
  if (expectedStatus === 'queued' && message.status !== 'queued') stopWaiting(database, message);
  storeEvents(transaction, events);
  return true;
}

const STORED = `
  SELECT status, instance_id, (SELECT details FROM message_details WHERE message_id = messages.id) AS details
  FROM messages WHERE id = ?`;

/**
 * Marks every queued or held message of an instance as failed, and then its actions, in the order of the queue. Returns
 * how many messages failed.
 */
export function failMessages(transaction: Transaction, instanceId: string, failure: QueueFailure): number {
  const { database, newId } = transaction;
  const rows = database.all(QUEUED, instanceId, instanceId);
  const queued = rows.map((row) => readMessage(database, row));
  const actions = database.all(QUEUED_ACTIONS, instanceId, instanceId);
  for (const change of failQueue(queued, failure, newId)) changeMessage(transaction, change);
  // Reads the messages again, so that the events of the actions show them as failed.
  const found = actions.map((row) => queuedAction(database, text(row, 'message_id')));
  const later = { ...failure, eventsFrom: failure.eventsFrom + queued.length };
  for (const outcome of failActions(found, later, newId)) finishAction(transaction, outcome);
  return queued.length;
}

const queuedIn = (table: string): string => `
  SELECT messages.*, ${table}.position AS position
  FROM ${table} JOIN messages ON messages.id = ${table}.message_id
  WHERE ${table}.instance_id = ?`;

// Relies on the primary key of `queue` and on held_messages_by_position, which have the requested order.
const QUEUED_ACTIONS = ['queue', 'held_messages']
  .map(
    (table) => `
  SELECT ${table}.message_id, ${table}.position
  FROM ${table} JOIN message_actions ON ${actionOfEntry(`${table}.message_id`)}
  WHERE ${table}.instance_id = ?`,
  )
  .join(' UNION ALL ')
  .concat(' ORDER BY position');

const QUEUED = `${queuedIn('queue')} UNION ALL ${queuedIn('held_messages')} ORDER BY position`;
