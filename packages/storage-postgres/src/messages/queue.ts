import { acceptsMessages, QUEUE_WINDOW, staysPaced } from '@trunkline/core/spi/storage';
import type { Instance, Message } from '@trunkline/core/spi/storage';
import type { Transaction } from '../database/database.ts';
import { integer, integerOrNull } from '../rows/row.ts';
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

/**
 * Whether no read of the queue can have returned this message: an earlier entry has the same recipient, and stays until
 * the transaction ends, or the pace of the instance holds the message for longer. The caller holds the lock of the
 * queue, without which nothing joins or leaves `held_messages`.
 */
export async function isBehindOthers(
  transaction: Transaction,
  { id, instanceId }: Message,
  now: number,
): Promise<boolean> {
  const instance = uuidOf('ins', instanceId);
  const row = await transaction.get(PLACE, uuidOf('msg', id));
  if (!row) return false;
  const place = [instance, String(row['recipient']), integer(row, 'position')] as const;
  if (await transaction.get(EARLIER_IN_QUEUE, ...place, QUEUE_WINDOW)) return true;
  if (await transaction.get(EARLIER_HELD, ...place)) return true;
  return staysPaced({ heldSince: integerOrNull(row, 'held_since'), dueAt: integer(row, 'due_at') }, now);
}

const PLACE = `
  SELECT position, recipient, NULL::bigint AS held_since, due_at FROM trunkline.queued_messages
  WHERE message_id = $1
  UNION ALL
  SELECT position, recipient, held_since, due_at FROM trunkline.held_messages WHERE message_id = $1`;

// Skips an entry that leaves the queue, because another transaction that waits for this one may hold it.
const EARLIER_IN_QUEUE = `
  SELECT 1 FROM trunkline.queued_messages
  WHERE instance_id = $1 AND recipient = $2 AND position = ANY (ARRAY(
    SELECT position FROM (
      SELECT position, recipient FROM trunkline.queued_messages
      WHERE instance_id = $1 AND position < $3
      ORDER BY instance_id DESC, position DESC
      LIMIT $4
    ) AS before WHERE recipient = $2
  ))
  LIMIT 1
  FOR UPDATE SKIP LOCKED`;

// Relies on held_messages_by_recipient.
const EARLIER_HELD = `
  SELECT 1 FROM trunkline.held_messages WHERE instance_id = $1 AND recipient = $2 AND position < $3 LIMIT 1`;

export async function deleteQueue(transaction: Transaction, instance: string): Promise<void> {
  await transaction.run('DELETE FROM trunkline.queues WHERE instance_id = $1', instance);
}
