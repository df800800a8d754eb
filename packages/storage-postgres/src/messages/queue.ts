import { acceptsMessages } from '@trunkline/core/spi/storage';
import type { Instance } from '@trunkline/core/spi/storage';
import type { Transaction } from '../database/database.ts';
import { uuidOf } from '../rows/uuid.ts';

/**
 * Saves whether an instance accepts messages. Called whenever that changes. Locks out acceptances until the transaction
 * ends.
 */
export async function saveQueue(transaction: Transaction, instance: Instance): Promise<void> {
  await transaction.run(
    SAVE,
    uuidOf('ins', instance.id),
    uuidOf('ten', instance.workspaceId),
    acceptsMessages(instance),
  );
}

// `is_connected` is also true while a linked number reconnects, because messages are accepted then.
const SAVE = `
  INSERT INTO trunkline.queues (instance_id, workspace_id, is_connected) VALUES ($1, $2, $3)
  ON CONFLICT (instance_id) DO UPDATE SET is_connected = excluded.is_connected`;

/** Locks out acceptances, and everything that takes messages from the queue, until the transaction ends. */
export async function lockQueue(transaction: Transaction, instance: string): Promise<void> {
  await transaction.run('SELECT 1 FROM trunkline.queues WHERE instance_id = $1 FOR UPDATE', instance);
}

/** Removes messages from their queues before they are deleted. Held messages are in held_messages instead. */
export async function leaveQueues(transaction: Transaction, messages: readonly string[]): Promise<void> {
  // Locks the queues first, like the postponement of a message.
  await transaction.run(LOCK_QUEUES_OF, messages);
  await transaction.run(LEAVE, messages);
}

const LOCK_QUEUES_OF = `
  SELECT 1 FROM trunkline.queues
  WHERE instance_id = ANY (ARRAY(
    SELECT instance_id FROM trunkline.queued_messages WHERE message_id = ANY ($1::uuid[])
  ))
  ORDER BY instance_id FOR NO KEY UPDATE`;

const LEAVE = `
  WITH gone AS (
    DELETE FROM trunkline.queued_messages WHERE message_id = ANY ($1::uuid[]) RETURNING instance_id
  ), left_now AS (
    SELECT instance_id, count(*) AS messages FROM gone GROUP BY instance_id
  )
  UPDATE trunkline.queues SET length = length - left_now.messages
  FROM left_now WHERE queues.instance_id = left_now.instance_id`;

export async function deleteQueue(transaction: Transaction, instance: string): Promise<void> {
  await transaction.run('DELETE FROM trunkline.queues WHERE instance_id = $1', instance);
}
