import type { GroupStore } from '@trunkline/core/spi/storage';
import type { Connected, Transaction } from './database.ts';
import { isHeld } from './lease.ts';
import { entities } from './row.ts';
import { encodeText } from './text-encoding.ts';
import { uuidOf, uuidToFind } from './uuid.ts';

export function groupStore(connected: Connected): GroupStore {
  return {
    save: async ({ lease, workspaceId, groups, full = false, now }) =>
      connected().transaction(async (transaction) => {
        // One save at a time: who finds a group new is the one to give it an id.
        if (!(await isHeld(transaction, lease, 'instance'))) return 'fenced';
        const instance = uuidOf('ins', lease.instanceId);
        for (const { networkId, name, participantsCount } of groups) {
          const values = [instance, encodeText(networkId), encodeText(name), participantsCount, now] as const;
          if ((await transaction.run(UPDATE, ...values)) > 0) continue;
          const group = uuidOf('grp', transaction.newId('grp', now));
          await transaction.run(INSERT, ...values, group, uuidOf('ten', workspaceId));
        }
        if (full) {
          const named = groups.map(({ networkId }) => networkId);
          await leaveGroups(transaction, instance, named);
        }
        return 'saved';
      }),
    list: async (workspaceId, instanceId) => {
      const [workspace, instance] = [uuidToFind('ten', workspaceId), uuidToFind('ins', instanceId)];
      return (await connected().all(LIST, instance, workspace)).map(entities.group.read);
    },
    find: async (workspaceId, instanceId, groupId) => {
      const [workspace, instance] = [uuidToFind('ten', workspaceId), uuidToFind('ins', instanceId)];
      const row = await connected().get(FIND, uuidToFind('grp', groupId), instance, workspace);
      return row ? entities.group.read(row) : null;
    },
    findByNetworkId: async (instanceId, networkId) => {
      const row = await connected().get(
        FIND_BY_NETWORK_ID,
        uuidToFind('ins', instanceId),
        encodeText(networkId),
      );
      return row ? entities.group.read(row) : null;
    },
  };
}

/** The number is in no other groups than these any more. */
export async function leaveGroups(
  { run }: Transaction,
  instance: string,
  except: readonly string[] = [],
): Promise<void> {
  await run(LEAVE, instance, except.map(encodeText));
}

const LEAVE = `
  UPDATE trunkline.instance_groups SET is_member = false
  WHERE instance_id = $1 AND is_member AND network_id <> ALL ($2::text[])`;

const UPDATE = `
  UPDATE trunkline.instance_groups SET name = $3, participants_count = $4, synced_at = $5, is_member = true
  WHERE instance_id = $1 AND network_id = $2`;

const INSERT = `
  INSERT INTO trunkline.instance_groups
    (instance_id, network_id, name, participants_count, synced_at, id, workspace_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;

// Relies on groups_by_name.
const LIST = `
  SELECT * FROM trunkline.instance_groups WHERE instance_id = $1 AND workspace_id = $2 AND is_member
  ORDER BY name, id`;

const FIND = `
  SELECT * FROM trunkline.instance_groups WHERE id = $1 AND instance_id = $2 AND workspace_id = $3 AND is_member`;

const FIND_BY_NETWORK_ID = `
  SELECT * FROM trunkline.instance_groups WHERE instance_id = $1 AND network_id = $2`;
