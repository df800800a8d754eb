import { latestResend } from '@trunkline/core/spi/storage';
import type { MessageStore, QueuedMessage } from '@trunkline/core/spi/storage';
import { createBatcher } from './batcher.ts';
import type { Connected } from './database.ts';
import { MESSAGE_COLUMNS, readMessage } from './message-row.ts';
import { integer } from './row.ts';
import { uuidToFind } from './uuid.ts';

interface Asked {
  readonly instanceIds: readonly string[];
  readonly now: number;
}

/**
 * Finds what is next on each instance. Calls that arrive together are one statement: a gateway asks after each message
 * that it has sent, and those that are recorded together are asked after together.
 */
export function findingQueueHeads(connected: Connected): MessageStore['queueHeads'] {
  const batcher = createBatcher<Asked, readonly QueuedMessage[]>({
    max: 100,
    inFlight: 2,
    async run(calls) {
      const asked = calls.flatMap(({ instanceIds, now }, call) =>
        [...new Set(instanceIds)].map((id) => ({ id: uuidToFind('ins', id), now, call })),
      );
      const rows = await connected().all(
        HEADS,
        asked.map(({ id }) => id),
        asked.map(({ now }) => now),
        asked.map(({ now }) => latestResend(now)),
        asked.map(({ call }) => call),
      );
      const found = Map.groupBy(rows, (row) => integer(row, 'call'));
      return calls.map((_, call) => ({
        status: 'fulfilled',
        value: (found.get(call) ?? []).map((row) => ({
          message: readMessage(row),
          tries: integer(row, 'tries'),
        })),
      }));
    },
  });
  return async (instanceIds, now) => connected().track(batcher.run({ instanceIds, now }));
}

const HEADS = `
  SELECT ${MESSAGE_COLUMNS}, head.tries, asked.call
  FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::integer[]) AS asked (instance_id, now, latest, call)
  CROSS JOIN LATERAL (
    SELECT message_id, tries, due_at FROM trunkline.queued_messages
    WHERE queued_messages.instance_id = asked.instance_id
    ORDER BY position
    LIMIT 1
  ) AS head
  JOIN trunkline.messages AS item ON item.id = head.message_id
  WHERE (head.due_at <= asked.now OR head.due_at > asked.latest) AND NOT EXISTS (
    SELECT 1 FROM trunkline.workspaces WHERE workspaces.id = item.workspace_id AND is_postponed
  )`;
