import { newGroupFacts } from '@trunkline/core/spi/storage';
import type { GroupStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { isHeld } from '../processes/lease.ts';
import { entities, text } from '../rows/row.ts';

export function groupStore(connected: Connected): GroupStore {
  return {
    save: async ({ lease, workspaceId, groups, full = false, now }) => {
      const { database, newId, write } = connected();
      const { instanceId } = lease;
      return write(() => {
        if (!isHeld(database, lease)) return 'fenced';
        for (const report of groups) {
          const { networkId, isMember = true } = report;
          if (!isMember) {
            database.run(LEAVE, instanceId, networkId);
            continue;
          }
          const updated = database.run(
            UPDATE,
            report.name ?? null,
            report.participantsCount ?? null,
            now,
            instanceId,
            networkId,
          );
          if (updated > 0) continue;
          const { name, participantsCount } = newGroupFacts(report);
          database.insert('instance_groups', {
            instance_id: instanceId,
            network_id: networkId,
            id: newId('grp', now),
            workspace_id: workspaceId,
            name,
            participants_count: participantsCount,
            synced_at: now,
          });
        }
        if (full)
          leaveGroups(
            database,
            instanceId,
            new Set(groups.flatMap(({ networkId, isMember = true }) => (isMember ? [networkId] : []))),
          );
        return 'saved';
      });
    },
    list: async (workspaceId, instanceId) =>
      connected()
        .database.all(
          'SELECT * FROM instance_groups WHERE instance_id = ? AND workspace_id = ? AND is_member = 1 ORDER BY name, id',
          instanceId,
          workspaceId,
        )
        .map(entities.group.read),
    find: async (workspaceId, instanceId, id) => {
      const row = connected().database.get(
        'SELECT * FROM instance_groups WHERE id = ? AND instance_id = ? AND workspace_id = ? AND is_member = 1',
        id,
        instanceId,
        workspaceId,
      );
      return row ? entities.group.read(row) : null;
    },
    findInWorkspace: async (workspaceId, id) => {
      const row = connected().database.get(
        'SELECT * FROM instance_groups WHERE id = ? AND workspace_id = ? AND is_member = 1',
        id,
        workspaceId,
      );
      return row ? entities.group.read(row) : null;
    },
    findByNetworkId: async (instanceId, networkId) => {
      const row = connected().database.get(
        'SELECT * FROM instance_groups WHERE instance_id = ? AND network_id = ?',
        instanceId,
        networkId,
      );
      return row ? entities.group.read(row) : null;
    },
  };
}

/** Keeps the values that a report leaves out. */
const UPDATE = `
  UPDATE instance_groups
  SET name = coalesce(?, name), participants_count = coalesce(?, participants_count), synced_at = ?, is_member = 1
  WHERE instance_id = ? AND network_id = ?`;

const LEAVE = 'UPDATE instance_groups SET is_member = 0 WHERE instance_id = ? AND network_id = ?';

/** Ends the membership of a number in all groups except these. */
export function leaveGroups(
  database: Database,
  instanceId: string,
  except: ReadonlySet<string> = new Set(),
): void {
  const stayed = database.all(
    'SELECT network_id FROM instance_groups WHERE instance_id = ? AND is_member = 1',
    instanceId,
  );
  for (const row of stayed) {
    const networkId = text(row, 'network_id');
    if (except.has(networkId)) continue;
    database.run(LEAVE, instanceId, networkId);
  }
}
