import type { GroupReport, GroupStore } from '@trunkline/core/spi/storage';
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
        await saveReported(transaction, { instance, workspaceId, now }, groups);
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

interface Saving {
  /** Its uuid. */
  readonly instance: string;
  readonly workspaceId: string;
  readonly now: number;
}

/** A number may be in hundreds, which a gateway reports whenever it connects: all of them are two statements. */
async function saveReported(
  { all, run, newId }: Transaction,
  { instance, workspaceId, now }: Saving,
  groups: readonly GroupReport[],
): Promise<void> {
  // Of several reports of one group the last counts.
  const reported = new Map(groups.map((group) => [encodeText(group.networkId), group]));
  if (reported.size === 0) return;
  const updated = await all(UPDATE, instance, now, ...columnsOf([...reported]));
  for (const row of updated) reported.delete(String(row['network_id']));
  if (reported.size === 0) return;
  const ids = Array.from(reported, () => uuidOf('grp', newId('grp', now)));
  await run(INSERT, instance, now, ...columnsOf([...reported]), ids, uuidOf('ten', workspaceId));
}

function columnsOf(groups: readonly (readonly [networkId: string, group: GroupReport])[]) {
  return [
    groups.map(([networkId]) => networkId),
    groups.map(([, { name }]) => encodeText(name)),
    groups.map(([, { participantsCount }]) => participantsCount),
  ] as const;
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
  UPDATE trunkline.instance_groups
  SET name = reported.name, participants_count = reported.participants_count, synced_at = $2, is_member = true
  FROM unnest($3::text[], $4::text[], $5::bigint[]) AS reported (network_id, name, participants_count)
  WHERE instance_id = $1 AND instance_groups.network_id = ANY ($3::text[])
    AND instance_groups.network_id = reported.network_id
  RETURNING instance_groups.network_id`;

const INSERT = `
  INSERT INTO trunkline.instance_groups
    (instance_id, network_id, name, participants_count, synced_at, id, workspace_id)
  SELECT $1, network_id, name, participants_count, $2, id, $7
  FROM unnest($3::text[], $4::text[], $5::bigint[], $6::uuid[]) AS added (network_id, name, participants_count, id)`;

// Relies on groups_by_name.
const LIST = `
  SELECT * FROM trunkline.instance_groups WHERE instance_id = $1 AND workspace_id = $2 AND is_member
  ORDER BY name, id`;

const FIND = `
  SELECT * FROM trunkline.instance_groups WHERE id = $1 AND instance_id = $2 AND workspace_id = $3 AND is_member`;

const FIND_BY_NETWORK_ID = `
  SELECT * FROM trunkline.instance_groups WHERE instance_id = $1 AND network_id = $2`;
