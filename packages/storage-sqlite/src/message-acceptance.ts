import { acceptsMessages, isForgotten } from '@trunkline/core/spi/storage';
import type { Acceptance, AcceptanceResult, Instance } from '@trunkline/core/spi/storage';
import type { Database } from './database.ts';
import type { IdempotencyRecords } from './idempotency-log.ts';
import { takeOverContent } from './upload-registry.ts';
import { messageColumns } from './message-row.ts';
import { integer, integerOrNull, text, textOrNull, word } from './row.ts';
import { hasChanged } from './sender.ts';

/** Checks and stores one outbound message; see `MessageStore.accept` for the order of the checks. */
export function acceptMessage(
  database: Database,
  records: IdempotencyRecords,
  acceptance: Acceptance,
): AcceptanceResult {
  const { message, idempotency, backlogLimit, trialLimit, revision } = acceptance;
  const { workspaceId, instanceId } = message;
  if (revision !== undefined && hasChanged(database, message, revision)) return { kind: 'stale' };
  const found = idempotency && records.find(workspaceId, idempotency.key);
  if (found && !isForgotten(found.record, idempotency.createdAt)) {
    return { kind: 'remembered', record: found.record };
  }

  const target = findTarget(database, instanceId);
  if (target?.workspaceId !== workspaceId) return { kind: 'instance_gone' };
  if (!acceptsMessages(target)) return { kind: 'instance_not_connected' };
  if (trialLimit !== null && trialMessagesUsed(database, workspaceId) >= trialLimit) {
    return { kind: 'trial_used_up' };
  }
  if (isFull(database, target, backlogLimit)) return { kind: 'backlog_full' };

  takeOverContent(database, message);
  database.insert('messages', {
    ...messageColumns(message, ''),
    has_readable_network_id: acceptance.hasReadableNetworkId === true ? 1 : 0,
  });
  database.insert('queue', {
    instance_id: instanceId,
    position: target.queueEnd,
    message_id: message.id,
    tries: 0,
    due_at: 0,
  });
  if (idempotency) records.append(workspaceId, idempotency, found);
  if (trialLimit !== null) {
    const sql = 'UPDATE workspaces SET trial_messages_used = trial_messages_used + 1 WHERE id = ?';
    database.run(sql, workspaceId);
  }
  return { kind: 'accepted' };
}

function trialMessagesUsed(database: Database, workspaceId: string): number {
  const row = database.get('SELECT trial_messages_used FROM workspaces WHERE id = ?', workspaceId);
  return row ? integer(row, 'trial_messages_used') : 0;
}

interface Target extends Pick<Instance, 'workspaceId' | 'status' | 'desired' | 'phoneNumber'> {
  readonly instanceId: string;
  /** The position of the first message that is queued, and the one behind the last; the same where there is none. */
  readonly queueBegin: number;
  readonly queueEnd: number;
}

function findTarget(database: Database, instanceId: string): Target | null {
  const row = database.get(
    `SELECT workspace_id, status, desired, phone_number,
       (SELECT position FROM queue WHERE instance_id = instances.id ORDER BY position LIMIT 1) AS first,
       (SELECT position FROM queue WHERE instance_id = instances.id ORDER BY position DESC LIMIT 1) AS last
     FROM instances
     WHERE id = ?`,
    instanceId,
  );
  if (!row) return null;
  return {
    instanceId,
    workspaceId: text(row, 'workspace_id'),
    status: word(row, 'status'),
    desired: word(row, 'desired'),
    phoneNumber: textOrNull(row, 'phone_number'),
    queueBegin: integerOrNull(row, 'first') ?? 0,
    queueEnd: (integerOrNull(row, 'last') ?? -1) + 1,
  };
}

/** Counts only where the positions allow that many: a message leaves from the middle of a queue too, but seldom. */
function isFull(database: Database, { instanceId, queueBegin, queueEnd }: Target, limit: number): boolean {
  if (queueEnd - queueBegin < limit) return false;
  if (limit === 0) return true;
  const sql = 'SELECT 1 FROM queue WHERE instance_id = ? LIMIT 1 OFFSET ?';
  return database.get(sql, instanceId, limit - 1) !== undefined;
}
