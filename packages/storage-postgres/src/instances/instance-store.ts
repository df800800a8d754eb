import type { InstanceStore } from '@trunkline/core/spi/storage';
import type { Connected, Transaction } from '../database/database.ts';
import { forgetDownloads } from '../messages/download-store.ts';
import { historyNotes, writeEntry } from './history-store.ts';
import { lockInstance, OWED, writingInstances } from './instance-write.ts';
import { isHeld } from '../processes/lease.ts';
import { lookingUp } from '../database/look-ups.ts';
import { orphanContent } from '../messages/upload-registry.ts';
import { failMessages } from '../messages/message-change.ts';
import { hasScheduled } from '../messages/scheduled-messages.ts';
import { deleteQueue, lockQueue, saveQueue } from '../messages/queue.ts';
import { claimNotifications, completeNotification } from '../deliveries/owed-notifications.ts';
import { entities, id, integer } from '../rows/row.ts';
import { forgetSession } from './session-store.ts';
import { signsOfLife } from './signs-of-life.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';
import { deleteTraffic } from '../traffic/traffic-store.ts';

export function instanceStore(connected: Connected): InstanceStore {
  const lookUp = lookingUp(connected, 'trunkline.instances');
  const signs = signsOfLife(connected);
  const notes = historyNotes(connected);
  return {
    insert: async (instance, limit, entry) =>
      connected().transaction(async (transaction) => {
        if (limit !== null && (await hasInstances(transaction, instance.workspaceId, limit))) {
          return 'limit_reached';
        }
        await transaction.insert('trunkline.instances', entities.instance.columns(instance));
        await saveQueue(transaction, instance);
        await writeEntry(transaction, entry);
        transaction.announce({ topic: 'instance', instanceId: instance.id });
        return 'inserted';
      }),
    find: async (workspaceId, instanceId) => {
      const row = await lookUp(uuidToFind('ins', instanceId));
      return row && row['workspace_id'] === uuidToFind('ten', workspaceId)
        ? entities.instance.read(row)
        : null;
    },
    list: async (workspaceId) => {
      const sql = 'SELECT * FROM trunkline.instances WHERE workspace_id = $1 ORDER BY id';
      return (await connected().all(sql, uuidToFind('ten', workspaceId))).map(entities.instance.read);
    },
    countIn: async (workspaceIds) => {
      const rows = await connected().all(
        COUNT,
        workspaceIds.map((id) => uuidToFind('ten', id)),
      );
      return new Map(rows.map((row) => [id(row, 'workspace_id', 'ten'), integer(row, 'instances')]));
    },
    write: writingInstances(connected),
    delete: async ({ instance, lease, failQueued, entry }) =>
      connected().transaction(async (transaction) => {
        if (!(await isHeld(transaction, lease, 'instance'))) return 'fenced';
        const stored = await lockInstance(transaction, instance);
        if (stored?.version !== instance.version) return 'stale';
        const uuid = uuidOf('ins', instance.id);
        await lockQueue(transaction, uuid);
        if (await hasScheduled(transaction, uuid)) return 'stale';
        await failMessages(transaction, uuid, failQueued);
        await forgetSession(transaction, uuid);
        await forgetDownloads(transaction, uuid);
        await transaction.run('DELETE FROM trunkline.instance_groups WHERE instance_id = $1', uuid);
        await deleteQueue(transaction, uuid);
        await deleteTraffic(transaction, 'instance', uuid);
        await transaction.run('DELETE FROM trunkline.instances WHERE id = $1', uuid);
        await orphanContent(transaction, uuid);
        await writeEntry(transaction, entry);
        transaction.announce({ topic: 'instance', instanceId: instance.id });
        return 'deleted';
      }),
    admitNewPerson: async (lease, { from, limit }) =>
      connected().transaction(async (transaction) => {
        if (!(await isHeld(transaction, lease, 'instance'))) return 'fenced';
        const changed = await transaction.run(ADMIT_NEW_PERSON, uuidOf('ins', lease.instanceId), from, limit);
        return changed > 0 ? 'admitted' : 'limit_reached';
      }),
    touch: async (lease, now) => connected().track(signs.run({ lease, now })),
    note: async (lease, entry) => connected().track(notes.run({ lease, entry })),

    listDown: async ({ before, latest, after, limit }) => {
      const down = await connected().all(DOWN, before, latest, after && uuidToFind('ins', after), limit);
      return down.map(entities.instance.read);
    },
    claimNotifications: async (claim) => claimNotifications(connected, OWED, claim),
    completeNotification: async (id) => completeNotification(connected, OWED, id),
  };
}

/** Relies on instances_by_workspace, which covers the query. */
const COUNT = `
  SELECT workspace_id, count(*) AS instances FROM trunkline.instances
  WHERE workspace_id = ANY ($1::uuid[]) GROUP BY workspace_id`;

const ADMIT_NEW_PERSON = `
  UPDATE trunkline.instances
  SET new_people = CASE new_people_from WHEN $2 THEN new_people ELSE 0 END + 1, new_people_from = $2
  WHERE id = $1 AND CASE new_people_from WHEN $2 THEN new_people ELSE 0 END < $3`;

// Relies on instances_down.
const DOWN = `
  SELECT * FROM trunkline.instances
  WHERE down_since IS NOT NULL AND down_notified_at IS NULL AND status <> 'connected'
    AND (down_since <= $1 OR down_since > $2)
    AND id > coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
  ORDER BY id LIMIT $4`;

/**
 * Whether the workspace has at least `count` instances; counts no further. Locks the workspace, so that no instance is
 * added before the transaction ends.
 */
async function hasInstances(transaction: Transaction, workspaceId: string, count: number): Promise<boolean> {
  const workspace = uuidToFind('ten', workspaceId);
  await transaction.run('SELECT 1 FROM trunkline.workspaces WHERE id = $1 FOR NO KEY UPDATE', workspace);
  if (count === 0) return true;
  const sql = 'SELECT 1 FROM trunkline.instances WHERE workspace_id = $1 LIMIT 1 OFFSET $2';
  return (await transaction.get(sql, workspace, count - 1)) !== undefined;
}
