import { latestResend } from '@trunkline/core/spi/storage';
import type { Postponement, QueuedMessage } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import {
  holdMessage,
  holdsAny,
  isWorkOn,
  leaveHeld,
  letOthersPass,
  longestDue,
  postponeHeld,
  RECIPIENT,
} from './held-messages.ts';
import { readMessage } from './message-row.ts';
import { integer, integerOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

/** See `MessageStore.queueHeads`. Moves messages that must let others pass out of the way, and then looks again. */
export async function queueHeads(
  connected: Connected,
  instanceIds: readonly string[],
  now: number,
): Promise<readonly QueuedMessage[]> {
  const { database, write } = connected();
  for (;;) {
    const { heads, inTheWay } = database.snapshot(() => {
      const look = holdsAny(database) ? lookAmongHeld : lookAtHead;
      const looks = instanceIds.map((id) => ({ id, found: look(database, id, now) }));
      return {
        heads: looks.flatMap(({ found }) => found ?? []),
        inTheWay: looks.flatMap(({ id, found }) => (found ? [] : [id])),
      };
    });
    if (inTheWay.length === 0) return heads;
    await write(() => {
      for (const id of inTheWay) letOthersPass(database, id);
    });
  }
}

function lookAtHead(database: Database, instanceId: string, now: number): readonly QueuedMessage[] {
  const row = database.get(HEAD, instanceId);
  return row && isDue(row, now) ? [queuedMessage(database, row)] : [];
}

/** Returns null if the message at the head must let others pass first. */
function lookAmongHeld(database: Database, instanceId: string, now: number): readonly QueuedMessage[] | null {
  const row = database.get(HEAD_AMONG_HELD, instanceId);
  if (row && integer(row, 'waits_for_held') === 1) return null;
  const held = longestDue(database, instanceId, now);
  const due = [row && isDue(row, now) ? row : undefined, held];
  return due.flatMap((one) => (one ? [queuedMessage(database, one)] : []));
}

function isDue(row: Row, now: number): boolean {
  const dueAt = integer(row, 'due_at');
  return dueAt <= now || dueAt > latestResend(now);
}

function queuedMessage(database: Database, row: Row): QueuedMessage {
  const heldSince = integerOrNull(row, 'held_since');
  return {
    message: readMessage(database, row),
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

const headWith = (columns: string): string => `
  SELECT messages.*, queue.tries, queue.due_at, NULL AS held_since${columns}
  FROM queue JOIN messages ON messages.id = queue.message_id
  WHERE queue.instance_id = ? AND ${isWorkOn('queue.instance_id')}
  ORDER BY queue.position
  LIMIT 1`;

const HEAD = headWith('');

const HEAD_AMONG_HELD = headWith(`, EXISTS (
    SELECT 1 FROM held_messages AS held
    WHERE held.instance_id = queue.instance_id AND held.recipient = ${RECIPIENT}
  ) AS waits_for_held`);
