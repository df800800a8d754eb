import { healthWhenClosed, isAsDecidedOn } from '@trunkline/core/spi/storage';
import type { Endpoint, EndpointStore } from '@trunkline/core/spi/storage';
import { closeLane, dropLane } from './cancellation.ts';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { addLane, resumeLane } from './lane.ts';
import { claimNotifications, completeNotification, oweNotification } from './owed-notifications.ts';
import type { OwedTable } from './owed-notifications.ts';
import { entities, text } from '../rows/row.ts';
import { deleteTraffic } from '../traffic/traffic-store.ts';

export function endpointStore(connected: Connected): EndpointStore {
  return {
    insert: async (endpoint, limit) => {
      const { database, write } = connected();
      return write(() => {
        if (hasEndpoints(database, endpoint.workspaceId, limit)) return 'limit_reached';
        database.insert('endpoints', entities.endpoint.columns(endpoint));
        addLane(database, endpoint.id, endpoint.workspaceId);
        return 'inserted';
      });
    },
    find: async (workspaceId, id) => findEndpoint(connected().database, workspaceId, id),
    list: async (workspaceId) => {
      const { database } = connected();
      return database
        .all('SELECT * FROM endpoints WHERE workspace_id = ? ORDER BY id DESC', workspaceId)
        .map(entities.endpoint.read);
    },
    write: async (change) => {
      const { endpoint, health, close, notification, enabledLimit } = change;
      const { database, write } = connected();
      return write(() => {
        const stored = findEndpoint(database, endpoint.workspaceId, endpoint.id);
        if (!stored || !isAsDecidedOn(stored, change)) return 'stale';
        if (enabledLimit !== undefined && enabledBeside(database, endpoint) >= enabledLimit) {
          return 'limit_reached';
        }
        database.update('endpoints', endpoint.id, {
          ...entities.endpointSettings.columns({ ...endpoint, version: endpoint.version + 1 }),
          ...(close ? entities.endpointHealth.columns(healthWhenClosed(stored.health)) : {}),
          ...(health ? entities.endpointFailures.columns(endpoint.health) : {}),
        });
        if (close) closeLane(database, endpoint.id, close);
        if (notification) oweNotification(database, OWED, notification);
        return 'written';
      });
    },
    delete: async (workspaceId, id, now) => {
      const { database, write } = connected();
      return write(() => {
        const deleted = database.get(DELETE, id, workspaceId);
        if (!deleted) return false;
        database.insert('deleted_endpoints', { id, url: text(deleted, 'url'), deleted_at: now });
        resumeLane(database, id);
        closeLane(database, id, 'ENDPOINT_DELETED');
        dropLane(database, id);
        deleteTraffic(database, 'webhook', id);
        return true;
      });
    },

    listFailing: async ({ before, after, limit }) =>
      connected()
        .database.all(
          `SELECT * FROM endpoints
           WHERE status = 'enabled' AND exhausted = 1 AND failing_since IS NOT NULL AND failing_since <= ? AND id > ?
             AND NOT EXISTS (SELECT 1 FROM lanes WHERE lanes.endpoint_id = endpoints.id AND is_paused = 1)
           ORDER BY id LIMIT ?`,
          before,
          after ?? '',
          limit,
        )
        .map(entities.endpoint.read),

    claimNotifications: async (claim) => claimNotifications(connected, OWED, claim),
    completeNotification: async (id) => completeNotification(connected, OWED, id),
  };
}

const DELETE = 'DELETE FROM endpoints WHERE id = ? AND workspace_id = ? RETURNING url';

const OWED: OwedTable = { table: 'notices', column: 'notice' };

/** Whether the workspace has at least `count` endpoints. Reads no more than `count`. */
function hasEndpoints(database: Database, workspaceId: string, count: number): boolean {
  if (count === 0) return true;
  return (
    database.get(
      'SELECT 1 FROM endpoints WHERE workspace_id = ? LIMIT 1 OFFSET ?',
      workspaceId,
      count - 1,
    ) !== undefined
  );
}

function enabledBeside(database: Database, { id, workspaceId }: Endpoint): number {
  const sql = "SELECT id FROM endpoints WHERE workspace_id = ? AND status = 'enabled' AND id <> ?";
  return database.all(sql, workspaceId, id).length;
}

function findEndpoint(database: Database, workspaceId: string, id: string): Endpoint | null {
  const row = database.get('SELECT * FROM endpoints WHERE id = ? AND workspace_id = ?', id, workspaceId);
  return row ? entities.endpoint.read(row) : null;
}
