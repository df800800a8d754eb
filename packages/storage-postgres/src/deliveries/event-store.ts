import { EVENT_TYPES } from '@trunkline/core/spi/storage';
import type { EventFilter, EventStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/database.ts';
import { readPage } from '../database/page.ts';
import type { List } from '../database/page.ts';
import { floorUuid } from '../database/partitions.ts';
import { entities, id } from '../rows/row.ts';
import { uuidToFind } from '../rows/uuid.ts';

export function eventStore(connected: Connected): EventStore {
  return {
    find: async (workspaceId, eventId, since) => {
      const ids = [uuidToFind('evt', eventId), uuidToFind('ten', workspaceId)] as const;
      const row = await connected().get(FIND, ...ids, floorUuid(since));
      return row ? entities.event.read(row) : null;
    },
    list: async (workspaceId, filter, page, since) => {
      const list = { ...listOf(workspaceId, filter), floor: floorUuid(since) };
      return readPage(connected(), list, page, entities.event.read);
    },
    listAfter: async (workspaceId, afterId, limit) => {
      const ids = [uuidToFind('ten', workspaceId), uuidToFind('evt', afterId)] as const;
      return (await connected().all(LIST_AFTER, ...ids, limit)).map(entities.event.read);
    },
    listIds: async (workspaceId, { after, upTo }, limit) => {
      const ids = [
        uuidToFind('ten', workspaceId),
        uuidToFind('evt', after),
        uuidToFind('evt', upTo),
      ] as const;
      return (await connected().all(LIST_IDS, ...ids, limit)).map((row) => id(row, 'id', 'evt'));
    },
  };
}

const FIND = 'SELECT * FROM trunkline.events WHERE id = $1 AND workspace_id = $2 AND id >= $3';

/** Walks the primary key of the log. The extra condition on the id leaves out the partitions of earlier days. */
const AFTER = `
  SELECT id FROM trunkline.event_log
  WHERE (workspace_id, id) > ($1::uuid, $2::uuid) AND workspace_id = $1 AND id > $2`;

const LIST_AFTER = `
  SELECT event.*
  FROM (${AFTER} ORDER BY workspace_id, id LIMIT $3) AS found
  CROSS JOIN LATERAL (SELECT * FROM trunkline.events WHERE events.id = found.id LIMIT 1) AS event
  ORDER BY found.id`;
const LIST_IDS = `${AFTER} AND id <= $3 ORDER BY workspace_id, id LIMIT $4`;

const LOG = {
  table: 'trunkline.event_log',
  rows: 'trunkline.events',
  columns: '*',
  prefix: 'evt',
} as const;

/**
 * Events of a workspace are read along the primary key of the log, and events of a message along event_log_by_message.
 * Events of an instance are read type by type along event_log_by_instance, so that a page costs the same however rare a
 * type is.
 */
function listOf(workspaceId: string, { messageId, instanceId, types = EVENT_TYPES }: EventFilter): List {
  const workspace = uuidToFind('ten', workspaceId);
  if (messageId !== undefined) {
    return {
      ...LOG,
      parts: 'unnest($2::uuid[]) AS part (message_id)',
      keys: { message_id: 'part.message_id', workspace_id: '$1::uuid' },
      values: [workspace, [uuidToFind('msg', messageId)]],
    };
  }
  if (instanceId === undefined) {
    return {
      ...LOG,
      parts: 'unnest($1::uuid[]) AS part (workspace_id)',
      keys: { workspace_id: 'part.workspace_id' },
      values: [[workspace]],
    };
  }
  return {
    ...LOG,
    parts: 'unnest($3::text[]) AS part (type)',
    keys: { instance_id: '$2::uuid', type: 'part.type', workspace_id: '$1::uuid' },
    values: [workspace, uuidToFind('ins', instanceId), types],
  };
}
