import { acceptsMessages, writtenInstance } from '@trunkline/core/spi/storage';
import type {
  Instance,
  InstanceStore,
  InstanceWrite,
  InstanceWriteResult,
  Signal,
} from '@trunkline/core/spi/storage';
import { createBatcher } from '../database/batcher.ts';
import type { Connected, Database, Transaction } from '../database/database.ts';
import { forgetDownloads } from '../messages/download-store.ts';
import { storeEvents } from '../deliveries/event-fan-out.ts';
import { leaveGroups } from '../people/group-store.ts';
import { entriesJson, insertEntries, writeEntry } from './history-store.ts';
import { isHeld } from '../processes/lease.ts';
import { failMessages } from '../messages/message-change.ts';
import { oweNotification } from '../deliveries/owed-notifications.ts';
import type { OwedTable } from '../deliveries/owed-notifications.ts';
import { lockQueue, saveQueue } from '../messages/queue.ts';
import { entities, id, integerOrNull } from '../rows/row.ts';
import { forgetSession } from './session-store.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { runBatchOrEach } from '../database/batch-transaction.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

/**
 * Writes that change only an instance's row and its history, as most do when a gateway restores hundreds of
 * connections, share one statement if they arrive together. Every other write takes its own transaction, as does a
 * write whose row has changed since it was decided on.
 */
export function writingInstances(connected: Connected): InstanceStore['write'] {
  const rows = createBatcher<InstanceWrite, Instance | null>({
    max: 200,
    inFlight: 2,
    keyOf: ({ instance }) => instance.id,
    run: (writes) => runBatchOrEach(writes, (some) => writeRows(connected(), some)),
  });
  return async (write) => {
    const database = connected();
    const written = isOfRowAlone(write) ? await database.track(rows.run(write)) : null;
    if (!written) return database.transaction((transaction) => writeAll(transaction, write));
    database.publish([signalOf(write)]);
    return { kind: 'written', instance: written };
  };
}

export const OWED: OwedTable = { table: 'trunkline.instance_notifications', column: 'notification' };

function isOfRowAlone({ event, failQueued, forgetNumber, notification }: InstanceWrite): boolean {
  return event === null && !failQueued && !forgetNumber && !notification;
}

/**
 * Returns null for a write whose row is locked or has changed since the write was decided on, whose lease is lost, or
 * which also changes whether messages are accepted. Other writes do not wait for a locked row.
 */
async function writeRows(
  database: Database,
  all: readonly InstanceWrite[],
): Promise<readonly (Instance | null)[]> {
  // Only the first of several writes of an instance is made here.
  const writes = [...new Map(all.toReversed().map((write) => [write.instance.id, write])).values()];
  const changes = writes.map(({ instance }) =>
    entities.instanceState.columns({ ...instance, version: instance.version + 1 }),
  );
  const ids = writes.map(({ instance }) => uuidToFind('ins', instance.id));
  const given = writes.map(({ instance, lease }, index) => ({
    ...changes[index],
    id: ids[index],
    workspace_id: uuidToFind('ten', instance.workspaceId),
    lease_owner: lease && encodeText(lease.owner),
    lease_epoch: lease && lease.epoch,
  }));
  const rows = await database.all(
    writeRowsSql(Object.keys(changes[0] ?? {})),
    JSON.stringify(given),
    ids,
    writes.map(({ instance }) => acceptsMessages(instance)),
    entriesJson(writes.flatMap(({ entry }) => entry ?? [])),
  );
  const written = new Map(rows.map((row) => [id(row, 'id', 'ins'), row]));
  return all.map((write) => {
    const { instance } = write;
    const row = writes.includes(write) ? written.get(instance.id) : undefined;
    return row
      ? { ...instance, lastSeenAt: integerOrNull(row, 'last_seen_at'), version: instance.version + 1 }
      : null;
  });
}

// Locks in id order, so that concurrent statements cannot deadlock. `is_connected` is always written in the same
// transaction as the version, so the two match. The ids are also passed as arrays, because the planner expects so many
// rows of JSON that it would read whole tables.
function writeRowsSql(columns: readonly string[]): string {
  const changes = columns.map((name) =>
    name === 'last_seen_at'
      ? `${name} = greatest(instances.${name}, given.${name})`
      : `${name} = given.${name}`,
  );
  return `
  WITH given AS MATERIALIZED (
    SELECT * FROM json_populate_recordset(NULL::trunkline.instances, $1::text::json)
  ), held AS MATERIALIZED (
    SELECT instances.id FROM trunkline.instances
    JOIN given ON given.id = instances.id
    JOIN unnest($2::uuid[], $3::boolean[]) AS accepting (id, accepts) ON accepting.id = instances.id
    JOIN trunkline.queues ON queues.instance_id = instances.id AND queues.is_connected = accepts
    WHERE instances.id = ANY ($2::uuid[]) AND queues.instance_id = ANY ($2::uuid[])
      AND instances.workspace_id = given.workspace_id AND instances.version = given.version - 1
      AND (given.lease_owner IS NULL
        OR (instances.lease_owner = given.lease_owner AND instances.lease_epoch = given.lease_epoch))
    ORDER BY instances.id
    FOR UPDATE OF instances SKIP LOCKED
  ), written AS (
    UPDATE trunkline.instances
    SET ${changes.join(', ')}
    FROM held JOIN given ON given.id = held.id
    WHERE instances.id = ANY ($2::uuid[]) AND instances.id = held.id
    RETURNING instances.id, instances.last_seen_at
  ), entries AS (${insertEntries('$4', 'written')})
  SELECT id, last_seen_at FROM written`;
}

/** A write under a lease comes from the lease's holder, so other processes need not look for an instance to take. */
function signalOf({ instance, lease }: InstanceWrite): Signal {
  return { topic: 'instance', instanceId: instance.id, ...(lease && { byHolder: true }) };
}

async function writeAll(transaction: Transaction, write: InstanceWrite): Promise<InstanceWriteResult> {
  const { instance, event, lease, failQueued, forgetNumber, entry, notification } = write;
  if (lease && !(await isHeld(transaction, lease, 'instance'))) return { kind: 'fenced' };
  const stored = await lockInstance(transaction, instance);
  if (stored?.version !== instance.version) return { kind: 'stale' };
  const written = writtenInstance(instance, stored);
  const uuid = uuidOf('ins', instance.id);
  await transaction.update('trunkline.instances', uuid, entities.instanceState.columns(written));
  if (acceptsMessages(stored) !== acceptsMessages(written)) await saveQueue(transaction, written);
  else if (failQueued) await lockQueue(transaction, uuid);
  if (event) await storeEvents(transaction, [event]);
  const failed = failQueued && (await failMessages(transaction, uuid, failQueued));
  if (forgetNumber) {
    await forgetSession(transaction, uuid);
    await forgetDownloads(transaction, uuid);
    await leaveGroups(transaction, uuid);
  }
  await writeEntry(transaction, entry);
  if (notification) await oweNotification(transaction, OWED, notification);
  transaction.announce(signalOf(write));
  return { kind: 'written', instance: written, ...(failed !== undefined && { failed }) };
}

const LOCK = 'SELECT * FROM trunkline.instances WHERE id = $1 AND workspace_id = $2 FOR UPDATE';

export async function lockInstance(
  transaction: Transaction,
  { workspaceId, id }: Instance,
): Promise<Instance | null> {
  const row = await transaction.get(LOCK, uuidToFind('ins', id), uuidToFind('ten', workspaceId));
  return row ? entities.instance.read(row) : null;
}
