import { newGroupFacts } from '@trunkline/core/spi/storage';
import type { GroupReport, GroupStore } from '@trunkline/core/spi/storage';
import type { Connected, Transaction } from '../database/database.ts';
import { isHeld } from '../processes/lease.ts';
import { entities } from '../rows/row.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

export function groupStore(connected: Connected): GroupStore {
  return {
    save: async ({ lease, workspaceId, groups, full = false, now }) =>
      connected().transaction(async (transaction) => {
        // With this lock, saves for an instance run one at a time, so that only one of them gives a new group its id.
        if (!(await isHeld(transaction, lease, 'instance'))) return 'fenced';
        const instance = uuidOf('ins', lease.instanceId);
        const left = groups.filter(({ isMember = true }) => !isMember);
        const member = groups.filter(({ isMember = true }) => isMember);
        await saveReported(transaction, { instance, workspaceId, now }, member);
        if (left.length > 0)
          await transaction.run(
            LEAVE_THESE,
            instance,
            left.map(({ networkId }) => encodeText(networkId)),
          );
        if (full) {
          const named = member.map(({ networkId }) => networkId);
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
    findInWorkspace: async (workspaceId, groupId) => {
      const row = await connected().get(
        FIND_IN_WORKSPACE,
        uuidToFind('grp', groupId),
        uuidToFind('ten', workspaceId),
      );
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
  /** The uuid of the instance. */
  readonly instance: string;
  readonly workspaceId: string;
  readonly now: number;
}

/**
 * A number may be in hundreds of groups, which a gateway reports whenever it connects, so at most two statements write
 * them all.
 */
async function saveReported(
  { all, run, newId }: Transaction,
  { instance, workspaceId, now }: Saving,
  groups: readonly GroupReport[],
): Promise<void> {
  const reported = new Map<string, GroupReport>();
  for (const group of groups) {
    const key = encodeText(group.networkId);
    // If a group has several reports, the last value of each field counts.
    const before = reported.get(key);
    const { name = before?.name, participantsCount = before?.participantsCount } = group;
    reported.set(key, { networkId: group.networkId, name, participantsCount });
  }
  if (reported.size === 0) return;
  const updated = await all(UPDATE, instance, now, [...reported.keys()], recordsOf([...reported.values()]));
  for (const row of updated) reported.delete(String(row['network_id']));
  if (reported.size === 0) return;
  const added = Array.from(reported.values(), (report) => ({
    ...report,
    ...newGroupFacts(report),
    id: uuidOf('grp', newId('grp', now)),
  }));
  await run(INSERT, instance, now, recordsOf(added), uuidOf('ten', workspaceId));
}

/** Reports as JSON for `RECORD`, in which a field that a report leaves out is null. */
function recordsOf(reports: readonly (GroupReport & { readonly id?: string })[]): string {
  return JSON.stringify(
    reports.map(({ networkId, name, participantsCount, id }) => ({
      network_id: encodeText(networkId),
      name: name === undefined ? undefined : encodeText(name),
      participants_count: participantsCount,
      id,
    })),
  );
}

/** Ends the membership of a number in all groups except these. */
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

const LEAVE_THESE = `
  UPDATE trunkline.instance_groups SET is_member = false
  WHERE instance_id = $1 AND network_id = ANY ($2::text[])`;

const RECORD = 'network_id text, name text, participants_count bigint, id uuid';

const UPDATE = `
  UPDATE trunkline.instance_groups
  SET name = coalesce(reported.name, instance_groups.name),
    participants_count = coalesce(reported.participants_count, instance_groups.participants_count),
    synced_at = $2, is_member = true
  FROM json_to_recordset($4::text::json) AS reported (${RECORD})
  WHERE instance_id = $1 AND instance_groups.network_id = ANY ($3::text[])
    AND instance_groups.network_id = reported.network_id
  RETURNING instance_groups.network_id`;

const INSERT = `
  INSERT INTO trunkline.instance_groups
    (instance_id, network_id, name, participants_count, synced_at, id, workspace_id)
  SELECT $1, network_id, name, participants_count, $2, id, $4
  FROM json_to_recordset($3::text::json) AS added (${RECORD})`;

// Relies on groups_by_name.
const LIST = `
  SELECT * FROM trunkline.instance_groups WHERE instance_id = $1 AND workspace_id = $2 AND is_member
  ORDER BY name, id`;

const FIND = `
  SELECT * FROM trunkline.instance_groups WHERE id = $1 AND instance_id = $2 AND workspace_id = $3 AND is_member`;

const FIND_IN_WORKSPACE = `
  SELECT * FROM trunkline.instance_groups WHERE id = $1 AND workspace_id = $2 AND is_member`;

const FIND_BY_NETWORK_ID = `
  SELECT * FROM trunkline.instance_groups WHERE instance_id = $1 AND network_id = $2`;
