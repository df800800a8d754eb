import { uuidToId } from '@trunkline/core/spi/storage';
import type { FilingPass } from '@trunkline/core/spi/storage';
import { latestUnfiled, UNFILED_READ_MAX } from '@trunkline/storage-kit';
import type { UnfiledMessage } from '@trunkline/storage-kit';
import { keyOfStored, storedKey } from './chat-key.ts';
import type { Database } from '../database/database.ts';
import { addEntries, settleWindows } from './search-filing.ts';
import { flag, id, integer, json, text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';

/**
 * Files at most `limit` stored messages that are not filed yet. A lock that lasts until the transaction ends lets only
 * one process file at a time. If another process, or a deletion of messages, holds the lock, files nothing and returns
 * that more is left.
 */
export async function fileMessages(database: Database, limit: number): Promise<FilingPass> {
  // Checks first, because usually there is nothing to file.
  if (!(await database.get(ANY_TO_FILE))) return NOTHING;
  return database.transaction(async (transaction) => {
    const lock = await transaction.get(TRY_LOCK);
    if (!lock || !flag(lock, 'is_taken')) return { ...NOTHING, more: true };
    // Separate statements see everything that other processes committed before they released the lock.
    const pass = await fileNoted(transaction, limit);
    const settled = await settleWindows(transaction, limit);
    return { ...pass, filed: pass.filed + settled, more: pass.more || settled >= limit };
  });
}

const NOTHING: FilingPass = { filed: 0, lastId: null, more: false };

/** Files messages in the open transaction. No other process may file concurrently. */
export async function fileNoted(statements: Statements, limit: number): Promise<FilingPass> {
  const taken = await addEntries(statements, limit);
  if (taken.length === 0) return NOTHING;
  const row = await statements.get(FILE, taken);
  if (!row) return NOTHING;
  const filed = integer(row, 'filed');
  return { filed, lastId: filed === 0 ? null : id(row, 'last_id', 'msg'), more: taken.length === limit };
}

/**
 * SQL that notes messages as unfiled. Each statement that stores messages contains it; `stored` is the part of the
 * statement that has their ids.
 */
export function noting(stored: string): string {
  return `INSERT INTO trunkline.unfiled_messages (message_id) SELECT id FROM ${stored}`;
}

/** Takes the same lock as the function `take_message_from_chat` of the schema. */
const TRY_LOCK = `
  SELECT pg_try_advisory_xact_lock(1667788148, (SELECT tableoid::integer FROM trunkline.schema_versions LIMIT 1)) AS is_taken`;

/**
 * The key of a message's chat, as the function `message_key` of the schema computes it. PostgreSQL calls that function
 * row by row, which takes ten times as long for a thousand messages.
 */
const KEY = `
  CASE
    WHEN item.group_id IS NOT NULL THEN 'g' || item.group_id::text
    WHEN item.contact_id IS NOT NULL THEN 'c' || item.contact_id::text
    WHEN item.direction = 'inbound' THEN 'n' || item.sender
    ELSE 'n' || item.recipient
  END`;

const ANY_TO_FILE = `
  (SELECT 1 FROM trunkline.unfiled_messages ORDER BY message_id LIMIT 1)
  UNION ALL
  (SELECT 1 FROM trunkline.search_changes ORDER BY window_number LIMIT 1)`;

const FILE = `
  WITH taken AS MATERIALIZED (
    DELETE FROM trunkline.unfiled_messages WHERE message_id = ANY ($1::uuid[]) RETURNING message_id
  ), entry AS MATERIALIZED (
    SELECT item.id, item.workspace_id, item.instance_id, ${KEY} AS key
    FROM taken CROSS JOIN LATERAL (
      SELECT * FROM trunkline.messages AS item WHERE item.id = taken.message_id LIMIT 1
    ) AS item
    WHERE ${KEY} IS NOT NULL
  ), chat AS (
    INSERT INTO trunkline.chats (workspace_id, instance_id, key, last_message_id)
    SELECT DISTINCT ON (workspace_id, instance_id, key) workspace_id, instance_id, key, id
    FROM entry ORDER BY workspace_id, instance_id, key, id DESC
    ON CONFLICT (workspace_id, key, instance_id)
    DO UPDATE SET last_message_id = greatest(chats.last_message_id, excluded.last_message_id)
    RETURNING id, instance_id, key
  ), filed AS (
    INSERT INTO trunkline.chat_messages (chat_id, id)
    SELECT chat.id, entry.id FROM entry JOIN chat USING (instance_id, key)
    ON CONFLICT DO NOTHING
  )
  SELECT count(*) AS filed, (SELECT message_id FROM taken ORDER BY message_id DESC LIMIT 1) AS last_id FROM taken`;

/** Finds a workspace's messages with one of these chat keys, among the latest unfiled messages. */
export async function readUnfiled(
  { all }: Statements,
  workspace: string | null,
  keys: readonly string[],
): Promise<readonly UnfiledMessage[]> {
  return (await all(UNFILED, workspace, keys.map(storedKey))).map(unfiledMessage);
}

/**
 * For each chat with unfiled messages, the id of the newest of them, by chat key. Reads only the latest unfiled
 * messages.
 */
export async function readLatestUnfiled(
  { get }: Statements,
  workspace: string | null,
  instance: string | null,
): Promise<ReadonlyMap<string, string>> {
  const row = await get(UNFILED_OF_INSTANCE, workspace, instance);
  const unfiled = row ? json<Readonly<Record<string, string>>>(row, 'unfiled') : {};
  return latestUnfiled(
    Object.entries(unfiled).map(([uuid, key]) => ({ id: uuidToId('msg', uuid), key: keyOfStored(key) })),
  );
}

const NOTED = `
  (
    SELECT message_id FROM trunkline.unfiled_messages ORDER BY message_id DESC LIMIT ${UNFILED_READ_MAX}
  ) AS noted
  CROSS JOIN LATERAL (
    SELECT * FROM trunkline.messages AS item WHERE item.id = noted.message_id LIMIT 1
  ) AS item`;

const UNFILED = `
  SELECT item.id, item.workspace_id, item.instance_id, ${KEY} AS key
  FROM ${NOTED}
  WHERE item.workspace_id = $1 AND ${KEY} = ANY ($2::text[])`;

/**
 * Returns all rows as one JSON value, because reading a thousand rows for each page of chats would take longer than
 * everything else.
 */
const UNFILED_OF_INSTANCE = `
  SELECT coalesce(json_object_agg(item.id, ${KEY})::text, '{}') AS unfiled
  FROM ${NOTED}
  WHERE item.workspace_id = $1 AND item.instance_id = $2 AND ${KEY} IS NOT NULL`;

function unfiledMessage(row: Row): UnfiledMessage {
  return {
    id: id(row, 'id', 'msg'),
    workspaceId: id(row, 'workspace_id', 'ten'),
    instanceId: id(row, 'instance_id', 'ins'),
    key: keyOfStored(text(row, 'key')),
  };
}
