import { EVENT_TYPES, floorId } from '@trunkline/core/spi/storage';
import type { EventFilter, EventStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import { readPage } from '../database/page.ts';
import type { List } from '../database/page.ts';
import { entities, text } from '../rows/row.ts';

export function eventStore(connected: Connected): EventStore {
  return {
    find: async (workspaceId, id, since) => {
      if (id < floorId('evt', since)) return null;
      const row = connected().database.get(FIND, id, workspaceId);
      return row ? entities.event.read(row) : null;
    },
    list: async (workspaceId, filter, page, since) => {
      const list = { ...listOf(workspaceId, filter), floor: floorId('evt', since) };
      return readPage(connected().database, list, page, entities.event.read);
    },
    listAfter: async (workspaceId, afterId, limit) =>
      connected().database.all(LIST_AFTER, workspaceId, afterId, limit).map(entities.event.read),
    listIds: async (workspaceId, { after, upTo }, limit) =>
      connected()
        .database.all(LIST_IDS, workspaceId, after, upTo, limit)
        .map((row) => text(row, 'id')),
  };
}

const FIND = 'SELECT * FROM events WHERE id = ? AND workspace_id = ?';

// Both queries walk the primary key of the log.
const LIST_AFTER = `
  SELECT events.* FROM event_log CROSS JOIN events ON events.id = event_log.id
  WHERE event_log.workspace_id = ? AND event_log.id > ?
  ORDER BY event_log.id LIMIT ?`;
const LIST_IDS = 'SELECT id FROM event_log WHERE workspace_id = ? AND id > ? AND id <= ? ORDER BY id LIMIT ?';

/**
 * Events of a workspace are read along the primary key of the log, and events of a message along event_log_by_message.
 * Events of an instance are read type by type along event_log_by_instance, so that a page costs the same however rare a
 * type is.
 */
function listOf(workspaceId: string, { messageId, instanceId, types = EVENT_TYPES }: EventFilter): List {
  const log = { table: 'event_log', rows: 'events' };
  if (messageId !== undefined) {
    return { ...log, where: 'message_id = ? AND workspace_id = ?', parts: [[messageId, workspaceId]] };
  }
  if (instanceId === undefined) return { ...log, where: 'workspace_id = ?', parts: [[workspaceId]] };
  return {
    ...log,
    where: 'instance_id = ? AND type = ? AND workspace_id = ?',
    parts: types.map((one) => [instanceId, one, workspaceId]),
  };
}
