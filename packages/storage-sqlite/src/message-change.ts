import { failQueue } from '@trunkline/core/spi/storage';
import type { MessageChange, QueueFailure } from '@trunkline/core/spi/storage';
import { storeEvents } from './event-fan-out.ts';
import type { Transaction } from './event-fan-out.ts';
import { readMessage } from './message-row.ts';
import { entities } from './row.ts';

/** Writes a message's next state while it is still in the one that it was decided on. Returns whether it was. */
export function changeMessage(
  transaction: Transaction,
  { message, expectedStatus, events }: MessageChange,
): boolean {
  const { database } = transaction;
  const stored = database.get('SELECT status, instance_id FROM messages WHERE id = ?', message.id);
  if (stored?.['status'] !== expectedStatus || stored['instance_id'] !== message.instanceId) return false;
  database.update('messages', message.id, entities.messageState.columns(message));
  if (expectedStatus === 'queued' && message.status !== 'queued')
    database.run(LEAVE_QUEUE, message.instanceId, message.id);
  storeEvents(transaction, events);
  return true;
}

/** Fails every queued message of an instance, in the order of the queue. */
export function failMessages(transaction: Transaction, instanceId: string, failure: QueueFailure): void {
  const { database, newId } = transaction;
  const rows = database.all(
    'SELECT messages.* FROM queue JOIN messages ON messages.id = queue.message_id WHERE queue.instance_id = ? ORDER BY queue.position',
    instanceId,
  );
  const queued = rows.map((row) => readMessage(database, row));
  for (const change of failQueue(queued, failure, newId)) changeMessage(transaction, change);
}

/** What names one place in a queue, which is its head as a rule. Bound: the instance, the message. */
export const PLACE_IN_QUEUE = `
  (instance_id, position) = (
    SELECT instance_id, position FROM queue WHERE instance_id = ? AND message_id = ? ORDER BY position LIMIT 1
  )`;

const LEAVE_QUEUE = `DELETE FROM queue WHERE ${PLACE_IN_QUEUE}`;
