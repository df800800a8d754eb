import { MESSAGE_STATUSES, MESSAGE_TYPES } from '@trunkline/core/spi/storage';
import type { Message, MessageFilter, MessageStatus, Page, PageRequest } from '@trunkline/core/spi/storage';
import type { Database } from './database.ts';
import { readMessage } from './message-row.ts';
import { readPage } from './page.ts';
import type { List } from './page.ts';

/**
 * A page of messages. The whole workspace is one walk along messages_by_workspace; with a filter there is a walk for
 * each pair of status and type that passes it, along messages_by_workspace_and_kind or messages_by_instance_and_kind,
 * so that a page costs the same however rare what it asks for is.
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
  const { instanceId, direction, type, statuses } = filter;
  if (instanceId === undefined && direction === undefined && type === undefined && statuses === undefined) {
    return { table: 'messages', where: 'workspace_id = ?', parts: [[workspaceId]] };
  }
  const types = type === undefined ? MESSAGE_TYPES : [type];
  const kinds = wantedStatuses(filter).flatMap((status) => types.map((one) => [status, one]));
  if (instanceId === undefined) {
    const where = 'workspace_id = ? AND status = ? AND type = ?';
    return { table: 'messages', where, parts: kinds.map((kind) => [workspaceId, ...kind]) };
  }
  const where = 'instance_id = ? AND status = ? AND type = ?';
  const isOfWorkspace = workspaceOfInstance(database, instanceId) === workspaceId;
  return { table: 'messages', where, parts: isOfWorkspace ? kinds.map((kind) => [instanceId, ...kind]) : [] };
}

/** A direction is a set of statuses too. */
function wantedStatuses({ direction, statuses = MESSAGE_STATUSES }: MessageFilter): readonly MessageStatus[] {
  if (direction === undefined) return statuses;
  return statuses.filter((status) => (status === 'received') === (direction === 'inbound'));
}

/** The messages of an instance are all of one workspace, so that one of them tells; they outlive the instance. */
function workspaceOfInstance(database: Database, instanceId: string): unknown {
  const sql = 'SELECT workspace_id FROM messages WHERE instance_id = ? LIMIT 1';
  return database.get(sql, instanceId)?.['workspace_id'];
}
