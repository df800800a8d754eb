import type { Group, InstanceStore } from '@trunkline/core';
import type { Connected } from './connection.ts';
import { isHeld } from './lease.ts';
import { integer, text } from './row.ts';
import type { Row } from './row.ts';

type GroupMethods = Pick<InstanceStore, 'saveGroups' | 'listGroups' | 'findGroup' | 'findGroupByNetworkId'>;

export function groupMethods(connected: Connected): GroupMethods {
  return {
    saveGroups: async ({ lease, workspaceId, groups, now, newId }) => {
      const { database, write } = connected();
      const { instanceId } = lease;
      return write(() => {
        if (!isHeld(database, lease)) return 'fenced';
        for (const { networkId, name, participantsCount } of groups) {
          const updated = database.run(
            'UPDATE instance_groups SET name = ?, participants_count = ?, synced_at = ? WHERE instance_id = ? AND network_id = ?',
            name,
            participantsCount,
            now,
            instanceId,
            networkId,
          );
          if (updated > 0) continue;
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
        return 'saved';
      });
    },
    listGroups: async (workspaceId, instanceId) =>
      connected()
        .database.all(
          'SELECT * FROM instance_groups WHERE instance_id = ? AND workspace_id = ? ORDER BY name, id',
          instanceId,
          workspaceId,
        )
        .map(readGroup),
    findGroup: async (workspaceId, instanceId, id) => {
      const row = connected().database.get(
        'SELECT * FROM instance_groups WHERE id = ? AND instance_id = ? AND workspace_id = ?',
        id,
        instanceId,
        workspaceId,
      );
      return row ? readGroup(row) : null;
    },
    findGroupByNetworkId: async (instanceId, networkId) => {
      const row = connected().database.get(
        'SELECT * FROM instance_groups WHERE instance_id = ? AND network_id = ?',
        instanceId,
        networkId,
      );
      return row ? readGroup(row) : null;
    },
  };
}

function readGroup(row: Row): Group {
  return {
    id: text(row, 'id'),
    workspaceId: text(row, 'workspace_id'),
    instanceId: text(row, 'instance_id'),
    networkId: text(row, 'network_id'),
    name: text(row, 'name'),
    participantsCount: integer(row, 'participants_count'),
    syncedAt: integer(row, 'synced_at'),
  };
}
