import type { Message, Sender } from '@trunkline/core/spi/storage';
import type { Database } from './database.ts';
import { integerOrNull, json, text, textOrNull } from './row.ts';

/** Read each time, from memory as a rule: nothing is kept that another process could have changed. */
export function findSender(database: Database, workspaceId: string, instanceId: string): Sender | null {
  const row = database.get(FIND, instanceId, workspaceId);
  if (!row) return null;
  const hasInstance = row['instance_id'] !== null;
  return {
    workspace: { plan: json(row, 'plan'), suspendedAt: integerOrNull(row, 'suspended_at') },
    revision: text(row, 'revision'),
    instance: hasInstance
      ? { id: text(row, 'instance_id'), workspaceId, phoneNumber: textOrNull(row, 'phone_number') }
      : null,
  };
}

/** Whether the sender is no more what it was at this revision. */
export function hasChanged(database: Database, message: Message, revision: string): boolean {
  return database.get(UNCHANGED, message.instanceId, message.workspaceId, revision) === undefined;
}

const SENDERS = `
  workspaces LEFT JOIN instances ON instances.id = ? AND instances.workspace_id = workspaces.id
  WHERE workspaces.id = ?`;

const REVISION = "coalesce(phone_number, '') || ' ' || coalesce(suspended_at, '') || ' ' || plan";

const FIND = `
  SELECT plan, suspended_at, ${REVISION} AS revision, phone_number, instances.id AS instance_id FROM ${SENDERS}`;

const UNCHANGED = `SELECT 1 FROM ${SENDERS} AND ${REVISION} = ?`;
