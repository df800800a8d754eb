import type { Message, MessageFilter, Page, PageRequest } from '@trunkline/core/spi/storage';
import { messageKinds } from '@trunkline/storage-kit';
import { MESSAGE_COLUMNS, readMessage } from './message-row.ts';
import { readPage } from '../database/page.ts';
import type { List } from '../database/page.ts';
import type { Statements } from '../database/statements.ts';
import { uuidToFind } from '../rows/uuid.ts';

/**
 * Returns a page of messages. Without a filter, reads along messages_by_workspace. With a filter, reads along
 * messages_by_workspace_and_kind or messages_by_instance_and_kind once for each pair of status and type that passes the
 * filter, so that a page costs the same however rare its messages are.
 */
export function listMessages(
  statements: Statements,
  workspaceId: string,
  filter: MessageFilter,
  page: PageRequest,
): Promise<Page<Message>> {
  return readPage(statements, listOf(workspaceId, filter), page, readMessage);
}

const MESSAGES = { table: 'trunkline.messages', prefix: 'msg', columns: MESSAGE_COLUMNS } as const;

function listOf(workspaceId: string, filter: MessageFilter): List {
  const workspace = uuidToFind('ten', workspaceId);
  const { instanceId } = filter;
  const kinds = messageKinds(filter);
  if (kinds === null) {
    return {
      ...MESSAGES,
      parts: 'unnest($1::uuid[]) AS part (workspace_id)',
      keys: { workspace_id: 'part.workspace_id' },
      values: [[workspace]],
    };
  }
  const ofKinds = [kinds.map((kind) => kind.status), kinds.map((kind) => kind.type)];
  if (instanceId === undefined) {
    return {
      ...MESSAGES,
      parts: 'unnest($2::text[], $3::text[]) AS part (status, type)',
      keys: { status: 'part.status', type: 'part.type', workspace_id: '$1::uuid' },
      values: [workspace, ...ofKinds],
    };
  }
  return {
    ...MESSAGES,
    parts: `unnest($3::text[], $4::text[]) AS part (status, type) CROSS JOIN LATERAL ${OF_WORKSPACE}`,
    keys: { type: 'part.type', status: 'part.status', instance_id: '$2::uuid' },
    values: [workspace, uuidToFind('ins', instanceId), ...ofKinds],
  };
}

/**
 * Looks at one message rather than the instance, because messages outlive their instance, and all belong to one
 * workspace. The ORDER BY makes PostgreSQL find the message along messages_by_network_id, however few messages the
 * instance has.
 */
const OF_WORKSPACE = `(
    SELECT 1 FROM (
      SELECT workspace_id FROM trunkline.messages WHERE instance_id BETWEEN $2 AND $2 ORDER BY instance_id LIMIT 1
    ) AS one
    WHERE one.workspace_id = $1
  ) AS own`;
