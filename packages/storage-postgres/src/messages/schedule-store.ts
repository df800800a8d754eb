import { failQueue, floorId, isStillLinked, SCHEDULE_STEP, timeOfPlace } from '@trunkline/core/spi/storage';
import type {
  Message,
  Page,
  PageRequest,
  QueueFailure,
  ScheduleFilter,
  ScheduleStore,
} from '@trunkline/core/spi/storage';
import type { Connected, Transaction } from '../database/database.ts';
import { readPage } from '../database/page.ts';
import type { List } from '../database/page.ts';
import type { Statements } from '../database/statements.ts';
import { isHeld } from '../processes/lease.ts';
import { id, textOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';
import { writeChanges } from './message-change.ts';
import { MESSAGE_COLUMNS, readMessage } from './message-row.ts';
import { unschedule } from './scheduled-messages.ts';

// Locks are taken in one order: messages, places, queues.

export function scheduleStore(connected: Connected): ScheduleStore {
  return {
    list: async (workspaceId, filter, page) =>
      connected().snapshot((statements) => listScheduled(statements, listOf(workspaceId, filter), page)),
    release: async (now, failure) => {
      const database = connected();
      const first = await nextTime(database);
      if (first === null || first > now) return first;
      const unlinked = await database.transaction((transaction) => release(transaction, now));
      if (unlinked.length > 0)
        await database.transaction((transaction) => fail(transaction, unlinked, failure));
      return nextTime(database);
    },
    cancel: async (change) =>
      connected().transaction(async (transaction) => {
        await transaction.run(LOCK_MESSAGES, [uuidOf('msg', change.message.id)]);
        if ((await unschedule(transaction, [change.message])).size === 0) return 'stale';
        return (await writeChanges(transaction, [change])) > 0 ? 'changed' : 'stale';
      }),
    fail: async (lease, workspaceId, failure) =>
      connected().transaction(async (transaction) => {
        if (!(await isHeld(transaction, lease))) return 'fenced';
        const [instance, workspace] = [uuidToFind('ins', lease.instanceId), uuidToFind('ten', workspaceId)];
        const rows = await transaction.all(OF_INSTANCE, instance, workspace, SCHEDULE_STEP);
        await fail(transaction, rows.map(messageOf), failure);
        return rows.length;
      }),
  };
}

async function nextTime(statements: Statements): Promise<number | null> {
  const row = await statements.get('SELECT id FROM trunkline.scheduled_messages ORDER BY id LIMIT 1');
  return row ? timeOfPlace(id(row, 'id', 'msg')) : null;
}

function listOf(workspaceId: string, { instanceId }: ScheduleFilter): List {
  const workspace = uuidToFind('ten', workspaceId);
  const list = { table: 'trunkline.scheduled_messages', prefix: 'msg', columns: 'item.*' } as const;
  if (instanceId === undefined)
    return {
      ...list,
      parts: 'unnest($1::uuid[]) AS part (workspace_id)',
      keys: { workspace_id: 'part.workspace_id' },
      values: [[workspace]],
    };
  return {
    ...list,
    parts: 'unnest($1::uuid[], $2::uuid[]) AS part (instance_id, workspace_id)',
    keys: { instance_id: 'part.instance_id', workspace_id: 'part.workspace_id' },
    values: [[uuidToFind('ins', instanceId)], [workspace]],
  };
}

async function listScheduled(
  statements: Statements,
  list: List,
  request: PageRequest,
): Promise<Page<Message>> {
  const page = await readPage(statements, list, request, messageOf);
  if (page.rows.length === 0) return { ...page, rows: [] };
  const rows = await statements.all(FIND, page.rows);
  return { ...page, rows: rows.map(readMessage) };
}

/** The uuid of a scheduled message. */
function messageOf(row: Row): string {
  return String(row['message_id']);
}

/** Queues messages that are due. Returns the uuids of those that cannot be queued, because their number was unlinked. */
async function release(transaction: Transaction, now: number): Promise<readonly string[]> {
  const due = await transaction.all(DUE, uuidOf('msg', floorId('msg', now + 1)), SCHEDULE_STEP);
  const isLinked = (row: Row): boolean =>
    isStillLinked(textOrNull(row, 'phone_number'), textOrNull(row, 'sender'));
  const linked = due.filter(isLinked);
  if (linked.length > 0) {
    await transaction.run(
      QUEUE,
      linked.map((row) => String(row['id'])),
    );
    const instanceIds = new Set(linked.map((row) => id(row, 'instance_id', 'ins')));
    for (const instanceId of instanceIds) transaction.announce({ topic: 'queue', instanceId });
  }
  return due.filter((row) => !isLinked(row)).map(messageOf);
}

async function fail(
  transaction: Transaction,
  messages: readonly string[],
  failure: QueueFailure,
): Promise<void> {
  await transaction.run(LOCK_MESSAGES, messages);
  const found = (await transaction.all(FIND, messages)).map(readMessage);
  const gone = await unschedule(transaction, found);
  const scheduled = found.filter((message) => gone.has(uuidOf('msg', message.id)));
  await writeChanges(transaction, failQueue(scheduled, failure, transaction.newId));
}

const LOCK_MESSAGES = `
  SELECT 1 FROM trunkline.messages WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE`;

/** The messages with these uuids, in their order. */
const FIND = `
  SELECT ${MESSAGE_COLUMNS}
  FROM unnest($1::uuid[]) WITH ORDINALITY AS asked (id, number)
  JOIN trunkline.messages AS item ON item.id = asked.id
  ORDER BY asked.number`;

// The subqueries each read one row by its key. A place that another process has just queued is left out.
const DUE = `
  SELECT id, message_id, instance_id,
    (SELECT sender FROM trunkline.messages WHERE messages.id = message_id) AS sender,
    (SELECT phone_number FROM trunkline.instances WHERE instances.id = instance_id) AS phone_number
  FROM trunkline.scheduled_messages
  WHERE id < $1::uuid
  ORDER BY id
  LIMIT $2
  FOR UPDATE`;

// Relies on scheduled_messages_by_instance.
const OF_INSTANCE = `
  SELECT message_id FROM trunkline.scheduled_messages
  WHERE instance_id = $1 AND workspace_id = $2
  ORDER BY instance_id, workspace_id, id
  LIMIT $3`;

const QUEUE = `
  WITH gone AS MATERIALIZED (
    DELETE FROM trunkline.scheduled_messages WHERE id = ANY ($1::uuid[])
    RETURNING id, message_id, instance_id, recipient
  ), added AS MATERIALIZED (
    SELECT instance_id, count(*) AS messages FROM gone GROUP BY instance_id
  ), locked AS MATERIALIZED (
    SELECT instance_id FROM trunkline.queues WHERE instance_id = ANY (ARRAY(SELECT instance_id FROM added))
    ORDER BY instance_id
    FOR NO KEY UPDATE
  ), taken AS (
    UPDATE trunkline.queues
    SET length = length + added.messages, next_position = next_position + added.messages
    FROM locked JOIN added USING (instance_id)
    WHERE queues.instance_id = locked.instance_id
    RETURNING queues.instance_id, next_position - added.messages AS first_position
  )
  INSERT INTO trunkline.queued_messages (instance_id, position, message_id, recipient, tries, due_at)
  SELECT
    gone.instance_id, first_position + row_number() OVER (PARTITION BY gone.instance_id ORDER BY gone.id) - 1,
    message_id, recipient, 0, 0
  FROM gone JOIN taken ON taken.instance_id = gone.instance_id`;
