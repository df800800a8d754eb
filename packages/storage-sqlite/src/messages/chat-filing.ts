import type { FilingPass } from '@trunkline/core/spi/storage';
import { latestUnfiled, UNFILED_READ_MAX } from '@trunkline/storage-kit';
import type { UnfiledMessage } from '@trunkline/storage-kit';
import type { Connection } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { inSlices } from '../database/slices.ts';
import { addEntries, settleWindows } from './search-filing.ts';
import { integer, text, textOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

/** Files at most `limit` stored messages that are not filed yet, then changes the tokens of changed windows. */
export async function fileMessages(connection: Connection, limit: number): Promise<FilingPass> {
  const pass = await fileUnfiled(connection, limit);
  const settled = await settleWindows(connection, limit);
  return { ...pass, filed: pass.filed + settled, more: pass.more || settled >= limit };
}

async function fileUnfiled({ database, write }: Connection, limit: number): Promise<FilingPass> {
  // Checks first, because usually there is nothing to file, and a check needs no lock.
  if (!database.get('SELECT 1 FROM unfiled_messages LIMIT 1')) return NOTHING;
  let pass = NOTHING;
  await inSlices(limit, async (rows) => {
    const { filed, lastId, more } = await write(() => fileNoted(database, rows));
    pass = { filed: pass.filed + filed, lastId: lastId ?? pass.lastId, more };
    return filed;
  });
  return pass;
}

const NOTHING: FilingPass = { filed: 0, lastId: null, more: false };

/** Files messages in the open transaction, and deletes them from `unfiled_messages`. */
export function fileNoted(database: Database, limit: number): FilingPass {
  const filed = integer(database.get(COUNT_TO_FILE, limit) ?? { count: 0 }, 'count');
  const last = database.get(LAST_TO_FILE, filed - 1);
  if (!last) return NOTHING;
  const lastId = text(last, 'message_id');
  addEntries(database, limit);
  database.run(FILE_CHATS, limit);
  // Inserts in the order of the table, so that each of its pages is written once.
  database.run(FILE_MESSAGES, limit);
  database.run('DELETE FROM unfiled_messages WHERE message_id <= ?', lastId);
  return { filed, lastId, more: filed === limit };
}

/** Finds a workspace's messages with one of these chat keys, among the latest unfiled messages. */
export function readUnfiled(
  database: Database,
  workspaceId: string,
  keys: readonly string[],
): readonly UnfiledMessage[] {
  return database.all(UNFILED, UNFILED_READ_MAX, workspaceId, JSON.stringify(keys)).map(unfiledMessage);
}

/**
 * For each chat with unfiled messages, the id of the newest of them, by chat key. Reads only the latest unfiled
 * messages.
 */
export function readLatestUnfiled(
  database: Database,
  workspaceId: string,
  instanceId: string,
): ReadonlyMap<string, string> {
  const rows = database.all(UNFILED_OF_INSTANCE, UNFILED_READ_MAX, workspaceId, instanceId);
  return latestUnfiled(rows.map((row) => ({ id: text(row, 'id'), key: textOrNull(row, 'key') })));
}

function unfiledMessage(row: Row): UnfiledMessage {
  return {
    id: text(row, 'id'),
    workspaceId: text(row, 'workspace_id'),
    instanceId: text(row, 'instance_id'),
    key: textOrNull(row, 'key'),
  };
}

/** `chatKeyOf` in SQL. */
const KEY = `coalesce(
    group_id,
    (SELECT contact_id FROM message_details WHERE message_details.message_id = messages.id),
    CASE direction WHEN 'inbound' THEN sender ELSE recipient END
  )`;
const COLUMNS = `messages.id, workspace_id, instance_id, ${KEY} AS key`;

const TO_FILE = `
  SELECT ${COLUMNS}
  FROM (SELECT message_id FROM unfiled_messages ORDER BY message_id LIMIT ?) AS noted
  CROSS JOIN messages ON messages.id = noted.message_id`;
const COUNT_TO_FILE =
  'SELECT count(*) AS count FROM (SELECT 1 FROM unfiled_messages ORDER BY message_id LIMIT ?)';
const LAST_TO_FILE = 'SELECT message_id FROM unfiled_messages ORDER BY message_id LIMIT 1 OFFSET ?';

const FILE_CHATS = `INSERT INTO chats (workspace_id, instance_id, key, last_message_id)
  SELECT workspace_id, instance_id, key, max(id) FROM (${TO_FILE}) AS message
  WHERE key IS NOT NULL GROUP BY workspace_id, key, instance_id
  ON CONFLICT (workspace_id, key, instance_id)
  DO UPDATE SET last_message_id = max(last_message_id, excluded.last_message_id)`;
const FILE_MESSAGES = `INSERT OR IGNORE INTO chat_messages (chat_id, id)
  SELECT chats.id, message.id FROM (${TO_FILE}) AS message
  CROSS JOIN chats ON chats.workspace_id = message.workspace_id AND chats.key = message.key
    AND chats.instance_id = message.instance_id
  ORDER BY chats.id, message.id`;

const NOTED = `
  (SELECT message_id FROM unfiled_messages ORDER BY message_id DESC LIMIT ?) AS noted
  CROSS JOIN messages ON messages.id = noted.message_id`;
const UNFILED = `
  SELECT ${COLUMNS} FROM ${NOTED}
  WHERE workspace_id = ? AND ${KEY} IN (SELECT value FROM json_each(?))`;
const UNFILED_OF_INSTANCE = `
  SELECT messages.id, ${KEY} AS key FROM ${NOTED} WHERE workspace_id = ? AND instance_id = ?`;
