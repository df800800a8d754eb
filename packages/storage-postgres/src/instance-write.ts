import { acceptsMessages } from '@trunkline/core/spi/storage';
import type { Instance, InstanceWrite, InstanceWriteResult } from '@trunkline/core/spi/storage';
import type { Database, Transaction } from './database.ts';
import { storeEvents } from './event-fan-out.ts';
import { leaveGroups } from './group-store.ts';
import { changeableColumns, readInstance } from './instance-row.ts';
import { isHeld } from './lease.ts';
import { settleQueue } from './message-change.ts';
import { lockQueue, saveQueue } from './queue.ts';
import { integerOrNull } from './row.ts';
import { forgetSession } from './session-methods.ts';
import { encodeText } from './text-encoding.ts';
import { uuidOf, uuidToFind } from './uuid.ts';

/**
 * Most writes change the row alone, as those of a gateway that restores hundreds of connections: they are one statement.
 * The others, and those that it does not find as they were decided on, are a transaction of several.
 */
export async function writeInstance(database: Database, write: InstanceWrite): Promise<InstanceWriteResult> {
  const written = isOfRowAlone(write) ? await writeRow(database, write) : null;
  return written ?? database.transaction((transaction) => writeAll(transaction, write));
}

function isOfRowAlone({ event, settleQueued, forgetNumber }: InstanceWrite): boolean {
  return event === null && !settleQueued && !forgetNumber;
}

/** Null where the row is not as it was when the write was decided on, or what acceptances know of it would change too. */
async function writeRow(
  database: Database,
  { instance, lease }: InstanceWrite,
): Promise<InstanceWriteResult | null> {
  const version = instance.version + 1;
  const { last_seen_at: seenAt = null, ...columns } = changeableColumns({ ...instance, version });
  const row = await database.get(
    writeRowSql(Object.keys(columns)),
    uuidToFind('ins', instance.id),
    uuidToFind('ten', instance.workspaceId),
    instance.version,
    lease === null ? null : encodeText(lease.owner),
    lease === null ? null : lease.epoch,
    acceptsMessages(instance),
    seenAt,
    ...Object.values(columns),
  );
  if (!row) return null;
  database.publish([{ topic: 'instance', instanceId: instance.id }]);
  return {
    kind: 'written',
    instance: { ...instance, lastSeenAt: integerOrNull(row, 'last_seen_at'), version },
  };
}

// What acceptances know is written in the same transaction as the version, and so is as old as that.
function writeRowSql(columns: readonly string[]): string {
  const changes = columns.map((name, index) => `${name} = $${index + 8}`);
  return `
    UPDATE trunkline.instances SET last_seen_at = greatest(last_seen_at, $7), ${changes.join(', ')}
    WHERE id = $1 AND workspace_id = $2 AND version = $3
      AND ($4::text IS NULL OR (lease_owner = $4 AND lease_epoch = $5))
      AND EXISTS (SELECT 1 FROM trunkline.queues WHERE instance_id = $1 AND is_connected = $6)
    RETURNING last_seen_at`;
}

async function writeAll(
  transaction: Transaction,
  { instance, event, lease, settleQueued, forgetNumber }: InstanceWrite,
): Promise<InstanceWriteResult> {
  if (lease && !(await isHeld(transaction, lease, 'instance'))) return { kind: 'fenced' };
  const stored = await lockInstance(transaction, instance);
  if (stored?.version !== instance.version) return { kind: 'stale' };
  const written = {
    ...instance,
    lastSeenAt: later(instance.lastSeenAt, stored.lastSeenAt),
    version: instance.version + 1,
  };
  const uuid = uuidOf('ins', instance.id);
  await transaction.update('trunkline.instances', uuid, changeableColumns(written));
  if (acceptsMessages(stored) !== acceptsMessages(written)) await saveQueue(transaction, written);
  else if (settleQueued) await lockQueue(transaction, uuid);
  if (event) await storeEvents(transaction, [event]);
  if (settleQueued) await settleQueue(transaction, uuid, settleQueued);
  if (forgetNumber) {
    await forgetSession(transaction, uuid);
    await leaveGroups(transaction, uuid);
  }
  transaction.announce({ topic: 'instance', instanceId: instance.id });
  return { kind: 'written', instance: written };
}

const LOCK = 'SELECT * FROM trunkline.instances WHERE id = $1 AND workspace_id = $2 FOR UPDATE';

export async function lockInstance(
  transaction: Transaction,
  { workspaceId, id }: Instance,
): Promise<Instance | null> {
  const row = await transaction.get(LOCK, uuidToFind('ins', id), uuidToFind('ten', workspaceId));
  return row ? readInstance(row) : null;
}

function later(a: number | null, b: number | null): number | null {
  return a === null || (b !== null && b > a) ? b : a;
}
