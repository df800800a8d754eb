import { latestResend, QUEUE_WINDOW, staysPaced } from '@trunkline/core/spi/storage';
import type { Message, Postponement, QueuedMessage, QueueLook } from '@trunkline/core/spi/storage';
import type { Connected, Connection } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import {
  holdMessage,
  holdsAny,
  isWorkOn,
  leaveHeld,
  letOthersPass,
  longestDue,
  postponeHeld,
} from './held-messages.ts';
import { readMessage } from './message-row.ts';
import { queuedAction } from './message-actions.ts';
import { integer, integerOrNull, text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

type How = QueueLook & { readonly now: number };

/** See `MessageStore.queueHeads`. */
export async function queueHeads(
  connected: Connected,
  instanceIds: readonly string[],
  how: How,
): Promise<readonly QueuedMessage[]> {
  const heads: QueuedMessage[] = [];
  for (const id of instanceIds) heads.push(...(await headsOf(connected(), id, how)));
  return heads;
}

/** Moves messages that must let others pass out of the way, and then looks again. */
async function headsOf(
  { database, readInTurn, write }: Connection,
  instanceId: string,
  how: How,
): Promise<readonly QueuedMessage[]> {
  for (;;) {
    const heads = await readInTurn(() =>
      database.snapshot(() => {
        const look = holdsAny(database) ? lookAmongHeld : lookAtQueue;
        return look(database, instanceId, how)?.map((row) => queuedMessage(database, row));
      }),
    );
    if (heads) return heads;
    await write(() => letOthersPass(database, instanceId));
  }
}

function lookAtQueue(database: Database, instanceId: string, how: How): readonly Row[] {
  return firstOfEach(database, FIRST, instanceId, how);
}

/** Returns null if messages must let others pass first. */
function lookAmongHeld(database: Database, instanceId: string, how: How): readonly Row[] | null {
  const rows = firstOfEach(database, FIRST_AMONG_HELD, instanceId, how);
  if (rows.some((row) => integer(row, 'waits_for_held') === 1)) return null;
  return [...rows, ...longestDue(database, instanceId, how)];
}

function firstOfEach(
  database: Database,
  sql: string,
  instanceId: string,
  { now, limit, withFiles }: How,
): readonly Row[] {
  return database.all(sql, instanceId, QUEUE_WINDOW, now, latestResend(now), Number(withFiles), limit);
}

function queuedMessage(database: Database, row: Row): QueuedMessage {
  const heldSince = integerOrNull(row, 'held_since');
  return {
    // Only the entry of an action has no message with its id.
    ...(row['id'] === null
      ? queuedAction(database, text(row, 'entry_id'))
      : { message: readMessage(database, row) }),
    tries: integer(row, 'tries'),
    ...(heldSince !== null && { heldSince }),
  };
}

/** See `MessageStore.postpone`. The caller has checked the lease. */
export function postponeMessage(database: Database, instanceId: string, postponement: Postponement): void {
  const { messageId, tries, dueAt, heldSince } = postponement;
  if (postponeHeld(database, postponement)) return;
  if (heldSince !== undefined) holdMessage(database, instanceId, { ...postponement, heldSince });
  else {
    database.run(
      `UPDATE queue SET tries = ?, due_at = ? WHERE ${PLACE_IN_QUEUE}`,
      tries,
      dueAt,
      instanceId,
      messageId,
    );
  }
}

/**
 * Whether no read of the queue can have returned this message: an earlier entry has the same recipient, or the pace of
 * the instance holds the message for longer.
 */
export function isBehindOthers(database: Database, { id, instanceId }: Message, now: number): boolean {
  const row = database.get(PLACE, instanceId, id, id);
  if (!row) return false;
  const [recipient, position] = [text(row, 'recipient'), integer(row, 'position')];
  if (database.get(EARLIER_IN_QUEUE, instanceId, position, QUEUE_WINDOW, recipient)) return true;
  if (database.get(EARLIER_HELD, instanceId, recipient, position)) return true;
  return staysPaced({ heldSince: integerOrNull(row, 'held_since'), dueAt: integer(row, 'due_at') }, now);
}

const PLACE = `
  SELECT position, recipient, NULL AS held_since, due_at FROM queue WHERE instance_id = ? AND message_id = ?
  UNION ALL
  SELECT position, recipient, held_since, due_at FROM held_messages WHERE message_id = ?`;

const EARLIER_IN_QUEUE = `
  SELECT 1 FROM (
    SELECT recipient FROM queue WHERE instance_id = ? AND position < ? ORDER BY position DESC LIMIT ?
  ) WHERE recipient = ? LIMIT 1`;

// Relies on held_messages_by_recipient.
const EARLIER_HELD = `
  SELECT 1 FROM held_messages WHERE instance_id = ? AND recipient = ? AND position < ? LIMIT 1`;

/** Takes a message out of its queue, at any position, or out of the held messages. */
export function leaveQueue(database: Database, instanceId: string, messageId: string): void {
  // Checks the held messages first, because a search in the queue walks from its head.
  if (!leaveHeld(database, messageId)) database.run(LEAVE_QUEUE, instanceId, messageId);
}

/**
 * A condition that finds a message's row in `queue`, usually at the head. Its parameters are the instance and the
 * message.
 */
const PLACE_IN_QUEUE = `
  (instance_id, position) = (
    SELECT instance_id, position FROM queue WHERE instance_id = ? AND message_id = ? ORDER BY position LIMIT 1
  )`;

const LEAVE_QUEUE = `DELETE FROM queue WHERE ${PLACE_IN_QUEUE}`;

/**
 * The first message to each recipient that is due, of the first messages of a queue, in their order. With `min`, the
 * other columns of a group come from the row that has the minimum.
 */
const firstWith = (
  columns: string,
): string => `SELECT messages.*, first.tries, first.message_id AS entry_id, NULL AS held_since${columns}
  FROM (
    SELECT instance_id, recipient, message_id, tries, due_at, min(position) AS position
    FROM (SELECT * FROM queue WHERE instance_id = ? ORDER BY position LIMIT ?) AS front
    GROUP BY recipient
    HAVING (due_at <= ? OR due_at > ?)
      AND (? OR coalesce((SELECT media IS NULL FROM messages WHERE messages.id = front.message_id), 1))
    ORDER BY position
    LIMIT ?
  ) AS first
  LEFT JOIN messages ON messages.id = first.message_id
  WHERE ${isWorkOn('first.instance_id')}
  ORDER BY first.position`;

const FIRST = firstWith('');

const FIRST_AMONG_HELD = firstWith(`, EXISTS (
    SELECT 1 FROM held_messages AS held
    WHERE held.instance_id = first.instance_id AND held.recipient = first.recipient
  ) AS waits_for_held`);
