import type { Message, MessageFilter, Page, PageRequest } from '@trunkline/core/spi/storage';
import { messageKinds } from '@trunkline/storage-kit';
import type { Database } from '../database/database.ts';
import { readMessage } from './message-row.ts';
import { readPage } from '../database/page.ts';
import type { List } from '../database/page.ts';

/**
 * Returns a page of messages. Without a filter, reads along messages_by_workspace. With a filter, reads along
 * messages_by_workspace_and_kind or messages_by_instance_and_kind once for each pair of status and type that passes the
 * filter, so that a page costs the same however rare its messages are.
 */
export function listMessages(
  database: Database,
  workspaceId: string,
  filter: MessageFilter,
  page: PageRequest,
): Page<Message> {
  return database.snapshot(() =>
    readPage(database, listOf(database, workspaceId, filter), page, (row) => readMessage(database, row)),
  );
}

function listOf(database: Database, workspaceId: string, filter: MessageFilter): List {
  const { instanceId } = filter;
  const kinds = messageKinds(filter);
  if (kinds === null) return { table: 'messages', where: 'workspace_id = ?', parts: [[workspaceId]] };
  const parts = (owner: string): List['parts'] => kinds.map(({ status, type }) => [owner, status, type]);
  if (instanceId === undefined) {
    return {
      table: 'messages',
      where: 'workspace_id = ? AND status = ? AND type = ?',
      parts: parts(workspaceId),
    };
  }
  const isOfWorkspace = workspaceOfInstance(database, instanceId) === workspaceId;
  const where = 'instance_id = ? AND status = ? AND type = ?';
  return { table: 'messages', where, parts: isOfWorkspace ? parts(instanceId) : [] };
}

/**
 * Reads one message rather than the instance, because all messages of an instance belong to one workspace and outlive
 * the instance.
 */
function workspaceOfInstance(database: Database, instanceId: string): unknown {
  const sql = 'SELECT workspace_id FROM messages WHERE instance_id = ? LIMIT 1';
  return database.get(sql, instanceId)?.['workspace_id'];
}
