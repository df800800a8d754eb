import { QUEUE_WINDOW } from '@trunkline/core/spi/storage';
import type { PeopleOfMessages, Postponement } from '@trunkline/core/spi/storage';
import type { Transaction } from '../database/database.ts';
import type { Statements } from '../database/statements.ts';
import { integer } from '../rows/row.ts';
import { uuidToFind } from '../rows/uuid.ts';

/** A condition in SQL: whether a message to this recipient waits for a held message. */
export const waitsForHeld = (instance: string, recipient: string): string => `coalesce((
      SELECT true FROM trunkline.held_messages AS held
      WHERE held.instance_id = ${instance} AND held.recipient = ${recipient}
      LIMIT 1
    ), false)`;

/**
 * Moves messages that wait for held messages from the front of the queue to `held_messages`, so that the messages
 * behind them can pass.
 */
export async function letOthersPass(transaction: Transaction, instance: string): Promise<void> {
  await lockQueues(transaction, [instance]);
  await transaction.run(MOVE_ASIDE, instance, QUEUE_WINDOW);
}

/** Postpones a message, wherever it is in its queue or among the held messages. The caller holds the lease. */
export async function postponeMessage(
  transaction: Transaction,
  instance: string,
  { messageId, tries, dueAt, heldSince }: Postponement,
): Promise<void> {
  const message = uuidToFind('msg', messageId);
  if (heldSince === undefined) {
    if ((await transaction.run(POSTPONE, message, instance, tries, dueAt)) > 0) return;
  } else {
    // The outcome of a send, which may be recorded at the same time, locks its message before the queue.
    await transaction.run(LOCK_MESSAGE, message);
    await lockQueues(transaction, [instance]);
    if ((await transaction.run(HOLD, message, instance, tries, dueAt, heldSince)) > 0) return;
  }
  await transaction.run(POSTPONE_HELD, message, instance, tries, dueAt, heldSince ?? null);
}

/**
 * Removes messages that leave their queue from `held_messages`, and puts messages that waited only for them back into
 * the queue.
 */
export async function leaveHeld(transaction: Transaction, messages: readonly string[]): Promise<void> {
  const where = await transaction.all(INSTANCES_OF, messages);
  if (where.length === 0) return;
  await lockQueues(
    transaction,
    where.map((row) => String(row['instance_id'])),
  );
  const left = await transaction.all(LEAVE, messages);
  for (const row of left) {
    const [instance, recipient] = [String(row['instance_id']), String(row['recipient'])];
    await transaction.run(UNCOUNT, instance, integer(row, 'messages'));
    await transaction.run(PUT_BACK, instance, recipient);
  }
}

export async function isPaced(
  statements: Statements,
  instanceId: string,
  messageId: string,
): Promise<boolean> {
  const found = await statements.get(IS_PACED, uuidToFind('msg', messageId), uuidToFind('ins', instanceId));
  return found !== undefined;
}

/** See `MessageStore.releasePaced`. Returns whether there were any messages. */
export async function releasePaced(
  transaction: Transaction,
  instanceId: string,
  { people, now }: { readonly people: PeopleOfMessages | null; readonly now: number },
): Promise<boolean> {
  const instance = uuidToFind('ins', instanceId);
  if (instance === null || !(await transaction.get(HOLDS_PACED, instance))) return false;
  await lockQueues(transaction, [instance]);
  if (people === null) return (await transaction.run(RELEASE_ALL, instance, now)) > 0;
  return (await transaction.run(RELEASE, instance, now, [...people.numbers, ...people.contactIds])) > 0;
}

async function lockQueues(transaction: Transaction, instances: readonly string[]): Promise<void> {
  await transaction.run(LOCK, instances);
}

const LOCK = `
  SELECT 1 FROM trunkline.queues WHERE instance_id = ANY ($1::uuid[]) ORDER BY instance_id FOR NO KEY UPDATE`;

const LOCK_MESSAGE = `
  SELECT 1 FROM trunkline.queued_messages WHERE message_id = $1 FOR UPDATE`;

// Relies on held_messages_by_recipient, which the planner would not use for EXISTS.
const MOVE_ASIDE = `
  WITH waiting AS MATERIALIZED (
    SELECT message_id
    FROM (
      SELECT message_id, recipient FROM trunkline.queued_messages
      WHERE instance_id = $1::uuid
      ORDER BY position
      LIMIT $2
    ) AS front
    WHERE ${waitsForHeld('$1::uuid', 'front.recipient')}
  ), gone AS (
    DELETE FROM trunkline.queued_messages WHERE message_id = ANY (ARRAY(SELECT message_id FROM waiting))
    RETURNING message_id, instance_id, position, recipient, tries, due_at
  )
  INSERT INTO trunkline.held_messages (message_id, instance_id, position, recipient, tries, due_at)
  SELECT message_id, instance_id, position, recipient, tries, due_at FROM gone`;

const POSTPONE = `
  UPDATE trunkline.queued_messages SET tries = $3, due_at = $4 WHERE message_id = $1 AND instance_id = $2`;

const HOLD = `
  WITH gone AS (
    DELETE FROM trunkline.queued_messages WHERE message_id = $1::uuid AND instance_id = $2::uuid
    RETURNING message_id, instance_id, position, recipient
  )
  INSERT INTO trunkline.held_messages (message_id, instance_id, position, recipient, tries, due_at, held_since)
  SELECT message_id, instance_id, position, recipient, $3::integer, $4::bigint, $5::bigint FROM gone`;

const POSTPONE_HELD = `
  UPDATE trunkline.held_messages SET tries = $3, due_at = $4, held_since = coalesce($5::bigint, held_since)
  WHERE message_id = $1 AND instance_id = $2`;

// The pace of the instance holds a message, and not the network, if the hold begins when the message is due.
const IS_PACED = `
  SELECT 1 FROM trunkline.held_messages WHERE message_id = $1 AND instance_id = $2 AND held_since = due_at`;

// These three queries rely on held_messages_paced.
const HOLDS_PACED = `
  SELECT 1 FROM trunkline.held_messages WHERE instance_id = $1 AND held_since = due_at LIMIT 1`;

const RELEASE_ALL = `
  UPDATE trunkline.held_messages SET due_at = $2, held_since = $2
  WHERE instance_id = $1 AND held_since = due_at`;

const RELEASE = `
  UPDATE trunkline.held_messages SET due_at = $2, held_since = $2
  WHERE instance_id = $1 AND recipient = ANY ($3::text[]) AND held_since = due_at`;

const INSTANCES_OF = `
  SELECT DISTINCT instance_id FROM trunkline.held_messages WHERE message_id = ANY ($1::uuid[])`;

const LEAVE = `
  WITH gone AS (
    DELETE FROM trunkline.held_messages WHERE message_id = ANY ($1::uuid[]) RETURNING instance_id, recipient
  )
  SELECT instance_id, recipient, count(*) AS messages FROM gone GROUP BY instance_id, recipient
  ORDER BY instance_id, recipient`;

const UNCOUNT = `
  UPDATE trunkline.queues SET length = length - $2 WHERE instance_id = $1`;

// Relies on held_messages_by_recipient.
const PUT_BACK = `
  WITH free AS (
    DELETE FROM trunkline.held_messages WHERE instance_id = $1::uuid AND recipient = $2 AND NOT EXISTS (
      SELECT 1 FROM trunkline.held_messages AS held
      WHERE held.instance_id = $1::uuid AND held.recipient = $2 AND held.held_since IS NOT NULL
    )
    RETURNING message_id, instance_id, position, recipient, tries, due_at
  )
  INSERT INTO trunkline.queued_messages (instance_id, position, message_id, recipient, tries, due_at)
  SELECT instance_id, position, message_id, recipient, tries, due_at FROM free`;
