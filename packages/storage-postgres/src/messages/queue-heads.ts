import { latestHold, latestResend } from '@trunkline/core/spi/storage';
import type { MessageStore, QueuedMessage } from '@trunkline/core/spi/storage';
import { createBatcher } from '../database/batcher.ts';
import type { Connected } from '../database/database.ts';
import { letOthersPass, recipientIn } from './held-messages.ts';
import { MESSAGE_COLUMNS, readMessage } from './message-row.ts';
import { flag, id, integer, integerOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

interface Asked {
  readonly instanceIds: readonly string[];
  readonly now: number;
}

/**
 * Finds the next message of each instance. Calls that arrive together share one statement. A message that must let
 * others pass is moved aside, and its instance is read again.
 */
export function findingQueueHeads(connected: Connected): MessageStore['queueHeads'] {
  const batcher = createBatcher<Asked, readonly Row[]>({
    max: 100,
    inFlight: 2,
    async run(calls) {
      const asked = calls.flatMap(({ instanceIds, now }, call) =>
        instanceIds.map((instanceId) => ({ id: uuidToFind('ins', instanceId), now, call })),
      );
      const rows = await connected().all(
        HEADS,
        asked.map((one) => one.id),
        asked.map(({ now }) => now),
        asked.map(({ now }) => latestResend(now)),
        asked.map(({ now }) => latestHold(now)),
        asked.map(({ call }) => call),
      );
      const found = Map.groupBy(rows, (row) => integer(row, 'call'));
      return calls.map((_, call) => ({ status: 'fulfilled', value: found.get(call) ?? [] }));
    },
  });

  const find = async (instanceIds: readonly string[], now: number): Promise<readonly QueuedMessage[]> => {
    const rows = await batcher.run({ instanceIds, now });
    const inTheWay = new Set(rows.filter((row) => flag(row, 'waits_for_held')).map(instanceOf));
    const found = rows.filter((row) => !inTheWay.has(instanceOf(row))).map(queuedMessage);
    if (inTheWay.size === 0) return found;
    for (const instanceId of inTheWay) {
      const instance = uuidOf('ins', instanceId);
      await connected().transaction((transaction) => letOthersPass(transaction, instance));
    }
    return [...found, ...(await find([...inTheWay], now))];
  };
  return async (instanceIds, now) => connected().track(find([...new Set(instanceIds)], now));
}

function instanceOf(row: Row): string {
  return id(row, 'instance_id', 'ins');
}

function queuedMessage(row: Row): QueuedMessage {
  const heldSince = integerOrNull(row, 'held_since');
  return {
    message: readMessage(row),
    tries: integer(row, 'tries'),
    ...(heldSince !== null && { heldSince }),
  };
}

const dueHeld = (bound: string): string => `(
      SELECT message_id, tries, true AS is_due, held_since, 1 AS place, due_at, position
      FROM trunkline.held_messages
      WHERE held_messages.instance_id = asked.instance_id AND held_since IS NOT NULL AND due_at ${bound}
      ORDER BY due_at, position
      LIMIT 1
    )`;

// Relies on the primary key of queued_messages, held_messages_due and held_messages_by_recipient.
const HEADS = `
  SELECT ${MESSAGE_COLUMNS}, head.tries, head.held_since, waits_for_held, asked.call
  FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::integer[])
    AS asked (instance_id, now, latest, latest_hold, call)
  CROSS JOIN LATERAL (
    (
      SELECT message_id, tries, due_at <= asked.now OR due_at > asked.latest AS is_due, NULL::bigint AS held_since, 0 AS place
      FROM trunkline.queued_messages
      WHERE queued_messages.instance_id = asked.instance_id
      ORDER BY position
      LIMIT 1
    ) UNION ALL (
      SELECT message_id, tries, is_due, held_since, place
      FROM (${dueHeld('<= asked.now')} UNION ALL ${dueHeld('> asked.latest_hold')}) AS held
      ORDER BY due_at, position
      LIMIT 1
    )
  ) AS head
  JOIN trunkline.messages AS item ON item.id = head.message_id
  CROSS JOIN LATERAL (
    SELECT head.held_since IS NULL AND EXISTS (
      SELECT 1 FROM trunkline.held_messages AS held
      WHERE held.instance_id = item.instance_id AND held.recipient = ${recipientIn('item')}
    ) AS waits_for_held
  ) AS wait
  WHERE (is_due OR waits_for_held) AND NOT EXISTS (
    SELECT 1 FROM trunkline.workspaces WHERE workspaces.id = item.workspace_id AND is_postponed
  )
  ORDER BY place`;
