import { latestHold, latestResend, QUEUE_WINDOW } from '@trunkline/core/spi/storage';
import type { MessageStore, QueuedMessage, QueueLook } from '@trunkline/core/spi/storage';
import { createBatcher } from '../database/batcher.ts';
import type { Connected } from '../database/database.ts';
import { letOthersPass, waitsForHeld } from './held-messages.ts';
import { MESSAGE_COLUMNS, readMessage } from './message-row.ts';
import { entities, flag, id, integer, integerOrNull, json } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

interface Asked extends QueueLook {
  readonly instanceIds: readonly string[];
  readonly now: number;
}

/**
 * Finds the next messages of each instance. Calls that arrive together share one statement. A message that must let
 * others pass is moved aside, and its instance is read again.
 */
export function findingQueueHeads(connected: Connected): MessageStore['queueHeads'] {
  const batcher = createBatcher<Asked, readonly Row[]>({
    max: 100,
    inFlight: 2,
    async run(calls) {
      const asked = calls.flatMap(({ instanceIds, ...how }, call) =>
        instanceIds.map((instanceId) => ({ ...how, id: uuidToFind('ins', instanceId), call })),
      );
      const rows = await connected().all(
        HEADS,
        asked.map((one) => one.id),
        asked.map(({ now }) => now),
        asked.map(({ now }) => latestResend(now)),
        asked.map(({ now }) => latestHold(now)),
        asked.map(({ limit }) => limit),
        asked.map(({ withFiles }) => withFiles),
        asked.map(({ call }) => call),
      );
      const found = Map.groupBy(rows, (row) => integer(row, 'call'));
      return calls.map((_, call) => ({ status: 'fulfilled', value: found.get(call) ?? [] }));
    },
  });

  const find = async (asked: Asked): Promise<readonly QueuedMessage[]> => {
    const rows = await batcher.run(asked);
    const inTheWay = new Set(rows.filter((row) => flag(row, 'waits_for_held')).map(instanceOf));
    const found = await queuedIn(
      connected(),
      rows.filter((row) => !inTheWay.has(instanceOf(row))),
    );
    if (inTheWay.size === 0) return found;
    for (const instanceId of inTheWay) {
      const instance = uuidOf('ins', instanceId);
      await connected().transaction((transaction) => letOthersPass(transaction, instance));
    }
    return [...found, ...(await find({ ...asked, instanceIds: [...inTheWay] }))];
  };
  return async (instanceIds, now, look = { limit: 1, withFiles: true }) =>
    connected().track(find({ ...look, instanceIds: [...new Set(instanceIds)], now }));
}

function instanceOf(row: Row): string {
  return id(row, 'of_instance_id', 'ins');
}

/** Reads the entries of queues. Only the entry of an action has no message with its id, and takes a second read. */
async function queuedIn(statements: Statements, rows: readonly Row[]): Promise<readonly QueuedMessage[]> {
  const entries = rows.filter((row) => row['id'] === null).map((row) => String(row['entry_id']));
  const actions = entries.length === 0 ? [] : await statements.all(ACTIONS, entries);
  const byEntry = new Map(actions.map((row) => [String(row['entry_id']), row]));
  return rows.flatMap((row) => {
    const found = row['id'] === null ? byEntry.get(String(row['entry_id'])) : row;
    return found ? [queuedMessage(found, row)] : [];
  });
}

function queuedMessage(found: Row, entry: Row): QueuedMessage {
  const heldSince = integerOrNull(entry, 'held_since');
  return {
    message: readMessage(found),
    ...(found !== entry && { action: entities.messageAction.read(json<Row>(found, 'action')) }),
    tries: integer(entry, 'tries'),
    ...(heldSince !== null && { heldSince }),
  };
}

const ACTIONS = `
  SELECT ${MESSAGE_COLUMNS}, action.id AS entry_id, row_to_json(action)::text AS action
  FROM trunkline.message_actions AS action
  JOIN trunkline.messages AS item ON item.id = action.message_id
  WHERE action.id = ANY ($1::uuid[]) AND NOT EXISTS (
    SELECT 1 FROM trunkline.workspaces WHERE workspaces.id = item.workspace_id AND is_postponed
  )`;

const dueHeld = (bound: string): string => `(
        SELECT message_id, tries, held_since, due_at, position
        FROM trunkline.held_messages
        WHERE held_messages.instance_id = asked.instance_id AND held_since IS NOT NULL AND due_at ${bound}
        ORDER BY due_at, position
        LIMIT asked.most
      )`;

// Relies on the primary key of queued_messages, held_messages_due and held_messages_by_recipient. The subquery about
// media is not written with EXISTS, which the planner might answer by reading all messages.
const HEADS = `
  SELECT
    ${MESSAGE_COLUMNS}, asked.instance_id AS of_instance_id, head.message_id AS entry_id, head.tries,
    head.held_since, waits_for_held, asked.call
  FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::integer[], $6::boolean[], $7::integer[])
    AS asked (instance_id, now, latest, latest_hold, most, with_files, call)
  CROSS JOIN LATERAL (
    (
      SELECT
        message_id, tries, NULL::bigint AS held_since, 0 AS due_at, position,
        ${waitsForHeld('asked.instance_id', 'first.recipient')} AS waits_for_held
      FROM (
        SELECT DISTINCT ON (recipient) *
        FROM (
          SELECT * FROM trunkline.queued_messages
          WHERE queued_messages.instance_id = asked.instance_id
          ORDER BY position
          LIMIT ${QUEUE_WINDOW}
        ) AS front
        ORDER BY recipient, position
      ) AS first
      WHERE (due_at <= asked.now OR due_at > asked.latest) AND (
        asked.with_files OR coalesce((SELECT media IS NULL FROM trunkline.messages WHERE messages.id = first.message_id), true)
      )
      ORDER BY position
      LIMIT asked.most
    ) UNION ALL (
      SELECT message_id, tries, held_since, due_at, position, false
      FROM (${dueHeld('<= asked.now')} UNION ALL ${dueHeld('> asked.latest_hold')}) AS held
      ORDER BY due_at, position
      LIMIT asked.most
    )
  ) AS head
  LEFT JOIN trunkline.messages AS item ON item.id = head.message_id
  WHERE NOT EXISTS (
    SELECT 1 FROM trunkline.workspaces WHERE workspaces.id = item.workspace_id AND is_postponed
  )
  ORDER BY head.held_since IS NOT NULL, head.due_at, head.position`;
