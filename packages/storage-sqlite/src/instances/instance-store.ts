import { writtenInstance } from '@trunkline/core/spi/storage';
import type { Instance, InstanceStore, InstanceWriteResult } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { forgetDownloads } from '../messages/download-store.ts';
import { storeEvents } from '../deliveries/event-fan-out.ts';
import { leaveGroups } from '../people/group-store.ts';
import { writeEntry } from './history-store.ts';
import { isHeld } from '../processes/lease.ts';
import { orphanContent } from '../messages/upload-registry.ts';
import { failMessages } from '../messages/message-change.ts';
import { scheduledOf } from '../messages/scheduled-messages.ts';
import {
  claimNotifications,
  completeNotification,
  oweNotification,
} from '../deliveries/owed-notifications.ts';
import type { OwedTable } from '../deliveries/owed-notifications.ts';
import { entities, integer, text } from '../rows/row.ts';
import { forgetSession } from './session-store.ts';
import { deleteTraffic } from '../traffic/traffic-store.ts';

export function instanceStore(connected: Connected): InstanceStore {
  return {
    insert: async (instance, limit, entry) => {
      const { database, write } = connected();
      return write((announce) => {
        if (limit !== null && hasInstances(database, instance.workspaceId, limit)) return 'limit_reached';
        database.insert('instances', entities.instance.columns(instance));
        writeEntry(database, entry);
        announce({ topic: 'instance', instanceId: instance.id });
        return 'inserted';
      });
    },
    find: async (workspaceId, id) => findInstance(connected().database, workspaceId, id),
    list: async (workspaceId) => {
      const { database } = connected();
      return database
        .all('SELECT * FROM instances WHERE workspace_id = ? ORDER BY id', workspaceId)
        .map(entities.instance.read);
    },

    countIn: async (workspaceIds) => {
      const { database } = connected();
      const rows = workspaceIds.flatMap((id) => database.all(COUNT, id));
      return new Map(rows.map((row) => [text(row, 'workspace_id'), integer(row, 'instances')]));
    },

    write: async ({ instance, event, lease, failQueued, forgetNumber, entry, notification }) => {
      const { database, newId, write } = connected();
      return write((announce): InstanceWriteResult => {
        if (lease && !isHeld(database, lease)) return { kind: 'fenced' };
        const stored = findInstance(database, instance.workspaceId, instance.id);
        if (stored?.version !== instance.version) return { kind: 'stale' };
        const written = writtenInstance(instance, stored);
        database.update('instances', instance.id, entities.instanceState.columns(written));
        if (event) storeEvents({ database, newId, announce }, [event]);
        const failed = failQueued && failMessages({ database, newId, announce }, instance.id, failQueued);
        if (forgetNumber) {
          forgetSession(database, instance.id);
          forgetDownloads(database, instance.id);
          leaveGroups(database, instance.id);
        }
        writeEntry(database, entry);
        if (notification) oweNotification(database, OWED, notification);
        announce({ topic: 'instance', instanceId: instance.id, ...(lease && { byHolder: true }) });
        return { kind: 'written', instance: written, ...(failed !== undefined && { failed }) };
      });
    },
    delete: async ({ instance, lease, failQueued, entry }) => {
      const { database, newId, write } = connected();
      return write((announce) => {
        if (!isHeld(database, lease)) return 'fenced';
        const stored = findInstance(database, instance.workspaceId, instance.id);
        if (stored?.version !== instance.version) return 'stale';
        if (scheduledOf(database, instance, 1).length > 0) return 'stale';
        failMessages({ database, newId, announce }, instance.id, failQueued);
        forgetSession(database, instance.id);
        forgetDownloads(database, instance.id);
        database.run('DELETE FROM instance_groups WHERE instance_id = ?', instance.id);
        deleteTraffic(database, 'instance', instance.id);
        database.run('DELETE FROM instances WHERE id = ?', instance.id);
        orphanContent(database, instance.id);
        writeEntry(database, entry);
        announce({ topic: 'instance', instanceId: instance.id });
        return 'deleted';
      });
    },
    admitNewPerson: async (lease, { from, limit }) => {
      const { database, write } = connected();
      return write(() => {
        if (!isHeld(database, lease)) return 'fenced';
        const changed = database.run(ADMIT_NEW_PERSON, from, from, lease.instanceId, from, limit);
        return changed > 0 ? 'admitted' : 'limit_reached';
      });
    },
    touch: async (lease, now) => {
      const { database, write } = connected();
      await write(() => {
        if (!isHeld(database, lease)) return;
        database.run(
          'UPDATE instances SET last_seen_at = max(coalesce(last_seen_at, 0), ?) WHERE id = ?',
          now,
          lease.instanceId,
        );
      });
    },
    note: async (lease, entry) => {
      const { database, write } = connected();
      await write(() => {
        if (isHeld(database, lease)) writeEntry(database, entry);
      });
    },

    listDown: async ({ before, latest, after, limit }) =>
      connected()
        .database.all(DOWN, before, latest, after ?? '', limit)
        .map(entities.instance.read),
    claimNotifications: async (claim) => claimNotifications(connected, OWED, claim),
    completeNotification: async (id) => completeNotification(connected, OWED, id),
  };
}

/** Relies on instances_by_workspace, which covers the query. */
const COUNT = `
  SELECT workspace_id, count(*) AS instances FROM instances WHERE workspace_id = ? GROUP BY workspace_id`;

const ADMIT_NEW_PERSON = `
  UPDATE instances
  SET new_people = iif(new_people_from = ?, new_people, 0) + 1, new_people_from = ?
  WHERE id = ? AND iif(new_people_from = ?, new_people, 0) < ?`;

const OWED: OwedTable = { table: 'instance_notifications', column: 'notification' };

// Relies on instances_down.
const DOWN = `
  SELECT * FROM instances
  WHERE down_since IS NOT NULL AND down_notified_at IS NULL AND status <> 'connected'
    AND (down_since <= ? OR down_since > ?) AND id > ?
  ORDER BY id LIMIT ?`;

/** Whether the workspace has at least `count` instances. Reads no more than `count`. */
function hasInstances(database: Database, workspaceId: string, count: number): boolean {
  if (count === 0) return true;
  return (
    database.get(
      'SELECT 1 FROM instances WHERE workspace_id = ? LIMIT 1 OFFSET ?',
      workspaceId,
      count - 1,
    ) !== undefined
  );
}

function findInstance(database: Database, workspaceId: string, id: string): Instance | null {
  const row = database.get('SELECT * FROM instances WHERE id = ? AND workspace_id = ?', id, workspaceId);
  return row ? entities.instance.read(row) : null;
}
