import { decideAcceptance, placeOf, recipientKeyOf } from '@trunkline/core/spi/storage';
import type { Acceptance, AcceptanceResult, IdempotencyRecord } from '@trunkline/core/spi/storage';
import { noting } from './chat-filing.ts';
import { TransactionConflict } from '../database/database.ts';
import type { Transaction } from '../database/database.ts';
import { findIdempotencyRecords, nameOfKey, remember } from './idempotency-record.ts';
import type { OwnedKey } from './idempotency-record.ts';
import { revisionNow } from './kept-senders.ts';
import { takeContent } from './upload-registry.ts';
import { MESSAGE_NAMES, MESSAGE_RECORD, messageColumns } from './message-row.ts';
import { flag, id, integer } from '../rows/row.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

/**
 * Decides on outbound messages one after the other, and stores those that pass; see `MessageStore.accept` for the order
 * of the checks. Locks all the rows that it needs, then decides, then writes, so that many messages without media take
 * no more statements than one.
 */
export async function acceptMessages(
  transaction: Transaction,
  acceptances: readonly Acceptance[],
): Promise<readonly AcceptanceResult[]> {
  const queues = await lockQueues(transaction, acceptances);
  const trials = await lockTrials(transaction, acceptances);
  const revisions = await readRevisions(transaction, acceptances);
  const records = await findIdempotencyRecords(transaction, acceptances.flatMap(keyOf));
  const accepted: Accepted[] = [];

  const accept = (acceptance: Acceptance): AcceptanceResult => {
    const { message, idempotency, trialLimit, isScheduled = false } = acceptance;
    const { workspaceId, instanceId } = message;
    const key = idempotency && nameOfKey({ workspaceId, key: idempotency.key });
    const found = queues.get(instanceId);
    const queue = found?.workspaceId === workspaceId ? found : null;
    const used = trials.get(workspaceId) ?? 0;
    const result = decideAcceptance(acceptance, {
      revision: revisions.get(nameOfSender(message)),
      record: (key === null ? null : records.get(key)) ?? null,
      instance: queue,
      trialMessagesUsed: used,
    });
    if (result.kind !== 'accepted' || queue === null) return result;

    accepted.push({ acceptance, position: isScheduled ? null : queue.nextPosition });
    if (!isScheduled) {
      queue.queued += 1;
      queue.nextPosition += 1;
    }
    if (trialLimit !== null) trials.set(workspaceId, used + 1);
    if (key !== null && idempotency) records.set(key, idempotency);
    return result;
  };

  const results = acceptances.map(accept);
  if (accepted.length > 0) await store(transaction, accepted);
  return results;
}

interface Accepted {
  readonly acceptance: Acceptance;
  /** The position in the queue; null if the message is scheduled. */
  readonly position: number | null;
}

interface Queue {
  readonly workspaceId: string;
  readonly acceptsMessages: boolean;
  queued: number;
  nextPosition: number;
}

async function lockQueues(
  transaction: Transaction,
  acceptances: readonly Acceptance[],
): Promise<Map<string, Queue>> {
  const instances = new Set(acceptances.map(({ message }) => uuidToFind('ins', message.instanceId)));
  const rows = await transaction.all(LOCK_QUEUES, [...instances]);
  return new Map(
    rows.map((row) => [
      id(row, 'instance_id', 'ins'),
      {
        workspaceId: id(row, 'workspace_id', 'ten'),
        acceptsMessages: flag(row, 'is_connected'),
        queued: integer(row, 'length'),
        nextPosition: integer(row, 'next_position'),
      },
    ]),
  );
}

const LOCK_QUEUES = `
  SELECT * FROM trunkline.queues WHERE instance_id = ANY ($1::uuid[]) ORDER BY instance_id FOR NO KEY UPDATE`;

/** Locks the workspaces on trial. Returns how many trial messages each has used. */
async function lockTrials(
  transaction: Transaction,
  acceptances: readonly Acceptance[],
): Promise<Map<string, number>> {
  const onTrial = acceptances.filter(({ trialLimit }) => trialLimit !== null);
  if (onTrial.length === 0) return new Map();
  const workspaces = new Set(onTrial.map(({ message }) => uuidToFind('ten', message.workspaceId)));
  const rows = await transaction.all(LOCK_TRIALS, [...workspaces]);
  return new Map(rows.map((row) => [id(row, 'id', 'ten'), integer(row, 'trial_messages_used')]));
}

const LOCK_TRIALS = `
  SELECT id, trial_messages_used FROM trunkline.workspaces
  WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`;

/** The current revisions of senders, by `nameOfSender`. */
async function readRevisions(
  transaction: Transaction,
  acceptances: readonly Acceptance[],
): Promise<Map<string, string>> {
  const compared = acceptances.filter(({ revision }) => revision !== undefined);
  if (compared.length === 0) return new Map();
  const rows = await transaction.all(
    REVISIONS,
    compared.map(({ message }) => uuidToFind('ten', message.workspaceId)),
    compared.map(({ message }) => uuidToFind('ins', message.instanceId)),
  );
  return new Map(
    compared.flatMap(({ message }, index) => {
      const revision = rows[index]?.['revision'];
      return typeof revision === 'string' ? [[nameOfSender(message), revision]] : [];
    }),
  );
}

function nameOfSender({ workspaceId, instanceId }: Acceptance['message']): string {
  return `${workspaceId} ${instanceId}`;
}

const REVISIONS = `
  SELECT (${revisionNow('asked.workspace_id', 'asked.instance_id')}) AS revision
  FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS asked (workspace_id, instance_id, place)
  ORDER BY place`;

async function store(transaction: Transaction, accepted: readonly Accepted[]): Promise<void> {
  const records = accepted.flatMap(({ acceptance }) => recordOf(acceptance));
  // A request for another instance has used one of the keys since the lookup. The next run sees that key.
  if (!(await remember(transaction, records))) throw new TransactionConflict();
  for (const { acceptance } of accepted) await takeContent(transaction, acceptance.message);
  const rows = accepted.map(({ acceptance, position }) => ({
    ...messageColumns(acceptance.message, ''),
    position,
    place: position === null ? uuidOf('msg', placeOf(acceptance.message)) : null,
    queued_to: encodeText(recipientKeyOf(acceptance.message)),
  }));
  await transaction.run(STORE, JSON.stringify(rows));
  const trials = accepted.filter(({ acceptance }) => acceptance.trialLimit !== null);
  if (trials.length > 0) {
    const workspaces = trials.map(({ acceptance }) => uuidOf('ten', acceptance.message.workspaceId));
    await transaction.run(COUNT_TRIALS, workspaces);
  }
}

// The queue's length is updated in the transaction in which messages join or leave the queue.
const STORE = `
  WITH record AS (
    SELECT * FROM json_to_recordset($1::text::json) AS record (${MESSAGE_RECORD}, position bigint, place uuid, queued_to text)
  ), stored AS (
    INSERT INTO trunkline.messages (${MESSAGE_NAMES}) SELECT ${MESSAGE_NAMES} FROM record
  ), noted AS (
    ${noting('record')}
  ), queued AS (
    INSERT INTO trunkline.queued_messages (instance_id, position, message_id, recipient, tries, due_at)
    SELECT instance_id, position, id, queued_to, 0, 0 FROM record WHERE position IS NOT NULL
  ), scheduled AS (
    INSERT INTO trunkline.scheduled_messages (id, message_id, workspace_id, instance_id, recipient)
    SELECT place, id, workspace_id, instance_id, queued_to FROM record WHERE place IS NOT NULL
  )
  UPDATE trunkline.queues
  SET length = length + added.messages, next_position = next_position + added.messages
  FROM (
    SELECT instance_id, count(*) AS messages FROM record WHERE position IS NOT NULL GROUP BY instance_id
  ) AS added
  WHERE queues.instance_id = added.instance_id`;

const COUNT_TRIALS = `
  UPDATE trunkline.workspaces SET trial_messages_used = trial_messages_used + used.messages
  FROM (SELECT workspace_id, count(*) AS messages FROM unnest($1::uuid[]) AS used (workspace_id) GROUP BY workspace_id) AS used
  WHERE workspaces.id = used.workspace_id`;

function keyOf({ message, idempotency }: Acceptance): readonly OwnedKey[] {
  return idempotency ? [{ workspaceId: message.workspaceId, key: idempotency.key }] : [];
}

function recordOf({ message, idempotency }: Acceptance): readonly (IdempotencyRecord & OwnedKey)[] {
  return idempotency ? [{ ...idempotency, workspaceId: message.workspaceId }] : [];
}
