import { placeOf, recipientKeyOf } from '@trunkline/core/spi/storage';
import type { Instance, Message } from '@trunkline/core/spi/storage';
import type { Database } from '../database/database.ts';
import type { Row } from '../rows/row.ts';
import { leaveQueue } from './message-queue.ts';

export function schedule(database: Database, message: Message): void {
  database.insert('scheduled_messages', {
    id: placeOf(message),
    message_id: message.id,
    workspace_id: message.workspaceId,
    instance_id: message.instanceId,
    recipient: recipientKeyOf(message),
  });
}

export function isScheduled(database: Database, message: Message): boolean {
  if (message.sendAt === null) return false;
  const sql = 'SELECT 1 FROM scheduled_messages WHERE id = ?';
  return database.get(sql, placeOf(message)) !== undefined;
}

/** Returns whether the message was scheduled. */
export function unschedule(database: Database, message: Message): boolean {
  return message.sendAt !== null && removePlace(database, placeOf(message));
}

/** Takes a message that is no longer to be sent out of the schedule, or out of its queue. */
export function stopWaiting(database: Database, message: Message): void {
  if (!unschedule(database, message)) leaveQueue(database, message.instanceId, message.id);
}

export function removePlace(database: Database, place: string): boolean {
  return database.run('DELETE FROM scheduled_messages WHERE id = ?', place) > 0;
}

/** The first scheduled messages of an instance. */
export function scheduledOf(
  database: Database,
  { workspaceId, id }: Pick<Instance, 'workspaceId' | 'id'>,
  limit: number,
): readonly Row[] {
  return database.all(OF_INSTANCE, workspaceId, id, limit);
}

// Relies on scheduled_messages_by_instance.
const OF_INSTANCE = `
  SELECT * FROM scheduled_messages WHERE workspace_id = ? AND instance_id = ? ORDER BY id LIMIT ?`;
