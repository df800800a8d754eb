import {
  acceptsMessages,
  decideAcceptance,
  isDueSoon,
  recipientKeyOf,
  senderRevision,
} from '@trunkline/core/spi/storage';
import type { Acceptance, AcceptanceResult, Instance, Message } from '@trunkline/core/spi/storage';
import type { Database } from '../database/database.ts';
import type { IdempotencyRecords } from './idempotency-log.ts';
import { takeContent } from './upload-registry.ts';
import { insertMessage } from './message-row.ts';
import { schedule } from './scheduled-messages.ts';
import { integer, integerOrNull, senders, text, textOrNull, word } from '../rows/row.ts';
import type { Announce } from '../database/writer.ts';

/**
 * Checks and stores outbound messages, one after the other; see `MessageStore.accept` for the order of the checks. An
 * instance is read only for its first message, so no other operation may write between the messages.
 */
export function acceptingMessages(
  database: Database,
  records: IdempotencyRecords,
  announce: Announce,
): (acceptance: Acceptance) => AcceptanceResult {
  const targets = new Map<string, Target | null>();
  const targetOf = ({ workspaceId, instanceId }: Message): Target | null => {
    const known = targets.get(instanceId);
    const target = known === undefined ? findTarget(database, instanceId) : known;
    if (known === undefined) targets.set(instanceId, target);
    return target?.workspaceId === workspaceId ? target : null;
  };

  return (acceptance) => {
    const {
      message,
      idempotency,
      backlogLimit,
      trialLimit,
      hasReadableNetworkId,
      isScheduled = false,
    } = acceptance;
    const { workspaceId, instanceId } = message;
    const target = targetOf(message);
    const found = idempotency && records.find(workspaceId, idempotency.key);
    const result = decideAcceptance(acceptance, {
      revision: target?.revision,
      record: found?.stored?.record ?? null,
      instance: target && {
        acceptsMessages: target.acceptsMessages,
        queued: countQueued(database, target, backlogLimit),
      },
      trialMessagesUsed: trialLimit === null ? 0 : trialMessagesUsed(database, workspaceId),
    });
    if (result.kind !== 'accepted' || target === null) return result;

    takeContent(database, message);
    insertMessage(database, message, { senderId: '', hasReadableNetworkId });
    if (isScheduled) schedule(database, message);
    else enqueue(database, target, { messageId: message.id, recipient: recipientKeyOf(message) });
    if (idempotency && found) records.append(workspaceId, idempotency, found);
    if (trialLimit !== null) {
      const sql = 'UPDATE workspaces SET trial_messages_used = trial_messages_used + 1 WHERE id = ?';
      database.run(sql, workspaceId);
    }
    if (!isScheduled) announce({ topic: 'queue', instanceId });
    else if (isDueSoon(message)) announce({ topic: 'schedule' });
    return result;
  };
}

/** Adds an entry at the end of the queue. */
export function enqueue(
  database: Database,
  target: Target,
  { messageId, recipient }: { readonly messageId: string; readonly recipient: string },
): void {
  database.insert('queue', {
    instance_id: target.instanceId,
    position: target.queueEnd,
    message_id: messageId,
    recipient,
    tries: 0,
    due_at: 0,
  });
  target.queueEnd += 1;
}

function trialMessagesUsed(database: Database, workspaceId: string): number {
  const row = database.get('SELECT trial_messages_used FROM workspaces WHERE id = ?', workspaceId);
  return row ? integer(row, 'trial_messages_used') : 0;
}

/** An instance whose queue gets another entry. */
export interface Target {
  readonly instanceId: string;
  readonly workspaceId: string;
  readonly revision: string;
  readonly acceptsMessages: boolean;
  /**
   * The position of the first queued message, and the position after the last queued or held one. They are equal if the
   * queue is empty.
   */
  readonly queueBegin: number;
  queueEnd: number;
  /** The number of messages that are held, or wait for a held one, and so are not in the queue. */
  readonly held: number;
}

export function findTarget(database: Database, instanceId: string): Target | null {
  const row = database.get(
    `SELECT workspace_id, status, desired, phone_number, capabilities, suspended_at, plan,
       (SELECT position FROM queue WHERE instance_id = instances.id ORDER BY position LIMIT 1) AS first,
       (SELECT position FROM queue WHERE instance_id = instances.id ORDER BY position DESC LIMIT 1) AS last,
       (SELECT position FROM held_messages WHERE instance_id = instances.id ORDER BY position DESC LIMIT 1) AS last_held,
       (SELECT count(*) FROM held_messages WHERE instance_id = instances.id) AS held
     FROM instances JOIN workspaces ON workspaces.id = instances.workspace_id
     WHERE instances.id = ?`,
    instanceId,
  );
  if (!row) return null;
  const instance: Pick<Instance, 'status' | 'desired' | 'phoneNumber'> = {
    status: word(row, 'status'),
    desired: word(row, 'desired'),
    phoneNumber: textOrNull(row, 'phone_number'),
  };
  // Held messages, and those that wait for them, return to the queue at their earlier positions.
  const queueEnd = Math.max(integerOrNull(row, 'last') ?? -1, integerOrNull(row, 'last_held') ?? -1) + 1;
  return {
    instanceId,
    workspaceId: text(row, 'workspace_id'),
    revision: senderRevision(senders.instanceRevision(row), senders.workspaceRevision(row)),
    acceptsMessages: acceptsMessages(instance),
    queueBegin: integerOrNull(row, 'first') ?? queueEnd,
    queueEnd,
    held: integer(row, 'held'),
  };
}

/**
 * Counts queued and held messages, at least up to `limit`. The difference of positions is never too small, and quicker
 * to know. It is larger than the count if messages have left the middle of the queue.
 */
export function countQueued(
  database: Database,
  { instanceId, queueBegin, queueEnd, held }: Target,
  limit: number,
): number {
  if (held + queueEnd - queueBegin < limit) return held + queueEnd - queueBegin;
  const sql = 'SELECT count(*) AS queued FROM (SELECT 1 FROM queue WHERE instance_id = ? LIMIT ?)';
  const row = database.get(sql, instanceId, limit);
  return held + (row ? integer(row, 'queued') : 0);
}
