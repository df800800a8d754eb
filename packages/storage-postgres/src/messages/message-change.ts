import { failActions, failQueue } from '@trunkline/core/spi/storage';
import type { Lease, MessageChange, QueueFailure } from '@trunkline/core/spi/storage';
import { createBatcher } from '../database/batcher.ts';
import type { Batcher } from '../database/batcher.ts';
import { TransactionConflict } from '../database/database.ts';
import type { Connected, Database, Transaction } from '../database/database.ts';
import { findWanting, storeEvents, storeLastEvents } from '../deliveries/event-fan-out.ts';
import { CHANGEABLE_NAMES, MESSAGE_COLUMNS, MESSAGE_RECORD, readMessage } from './message-row.ts';
import { finishAction } from './action-store.ts';
import { leaveHeld } from './held-messages.ts';
import { unschedule } from './scheduled-messages.ts';
import { isLockTimeout } from '../database/pool.ts';
import { IN_TRANSACTION } from '../database/session.ts';
import { entities, flag, integer, json } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { runBatchOrEach } from '../database/batch-transaction.ts';
import { uuidToFind } from '../rows/uuid.ts';

export interface LeasedChange {
  readonly lease: Lease;
  readonly change: MessageChange;
}

export type ChangeResult = 'changed' | 'stale' | 'fenced';

/**
 * Changes that arrive together share a transaction, as when hundreds of instances send messages that were queued while
 * no process held the instances. Changes of one instance keep the order of their calls.
 */
export function changeBatcher(connected: Connected): Batcher<LeasedChange, ChangeResult> {
  return createBatcher({
    max: 100,
    inFlight: 2,
    keyOf: ({ lease }) => lease.instanceId,
    run: (changes) => changeTogether(connected(), changes),
  });
}

/**
 * The lock timeout of a batch, whose changes all wait for a lock that one of them needs, such as that of a queue that
 * the app has locked.
 */
const LOCK_TIMEOUT = '50ms';

async function changeTogether(
  database: Database,
  changes: readonly LeasedChange[],
): Promise<readonly (PromiseSettledResult<ChangeResult> | Promise<ChangeResult>)[]> {
  const alone = changes.length === 1;
  const results = await runBatchOrEach(changes, (some) =>
    database.transactionAtOnce((transaction) =>
      changeMessages(transaction, some, alone ? null : LOCK_TIMEOUT),
    ),
  );
  return results.map((result, index) => {
    const change = changes[index];
    if (alone || !change || result.status === 'fulfilled' || !isLockTimeout(result.reason)) return result;
    // Runs this change in its own transaction, so that no instance waits for a lock that another needs.
    return database.transactionAtOnce(async (transaction) =>
      onlyOf(await changeMessages(transaction, [change])),
    );
  });
}

function onlyOf([result]: readonly ChangeResult[]): ChangeResult {
  if (!result)
    throw new Error('There is no decision about a change of a message. This is a defect: please report it.');
  return result;
}

/**
 * Writes each message's next state if its status is still the expected one, and ends the transaction. Queues are counted
 * in the last statement, so that acceptances find them unlocked until the commit.
 */
async function changeMessages(
  transaction: Transaction,
  changes: readonly LeasedChange[],
  lockTimeout: string | null = null,
): Promise<readonly ChangeResult[]> {
  const results = new Map<LeasedChange, ChangeResult>();
  const events = changes.flatMap(({ change }) => change.events);
  const left = new Map<string, number>();
  let wanting: readonly Row[] | undefined;
  for (const round of roundsOf(changes)) {
    const records = round.map(({ lease, change }, place) => ({
      ...recordOf(change),
      place,
      lease_instance_id: uuidToFind('ins', lease.instanceId),
      lease_owner: encodeText(lease.owner),
      lease_epoch: lease.epoch,
    }));
    const write = (): Promise<readonly Row[]> =>
      transaction.all(CHANGE, JSON.stringify(records), lockTimeout);
    let rows: readonly Row[];
    if (wanting || events.length === 0) rows = await write();
    else [rows, wanting] = await transaction.together(write, () => findWanting(transaction, events));
    if (rows.some((row) => !flag(row, 'is_begun'))) throw new TransactionConflict();
    for (const row of rows) {
      const change = round[integer(row, 'place')];
      if (!change) continue;
      results.set(change, resultOf(flag(row, 'is_held'), flag(row, 'is_changed')));
      const { instanceId } = change.lease;
      if (flag(row, 'left_queue')) left.set(instanceId, (left.get(instanceId) ?? 0) + 1);
    }
    await leaveAside(
      transaction,
      rows,
      round.map(({ change }) => change),
    );
  }
  await storeLastEvents(transaction, {
    events: changes.flatMap((one) => (results.get(one) === 'changed' ? one.change.events : [])),
    wanting: wanting ?? [],
    followedBy: left.size === 0 ? null : () => countLeft(transaction, left),
  });
  return changes.map((one) => results.get(one) ?? 'stale');
}

/** Counts the messages that have left the queues of these instances. */
async function countLeft(transaction: Transaction, left: ReadonlyMap<string, number>): Promise<void> {
  const instances = [...left.keys()].map((instanceId) => uuidToFind('ins', instanceId));
  await transaction.run(COUNT, instances, [...left.values()]);
}

/** Takes messages that are no longer to be sent, and were not in `queued_messages`, from where else they wait. */
async function leaveAside(
  transaction: Transaction,
  rows: readonly Row[],
  changes: readonly MessageChange[],
): Promise<void> {
  const aside = rows.filter((row) => flag(row, 'stands_aside'));
  if (aside.length === 0) return;
  const messages = aside.flatMap((row) => changes[integer(row, 'place')]?.message ?? []);
  await unschedule(transaction, messages);
  await leaveHeld(
    transaction,
    aside.map((row) => String(row['id'])),
  );
}

function resultOf(isHeld: boolean, isChanged: boolean): ChangeResult {
  if (!isHeld) return 'fenced';
  return isChanged ? 'changed' : 'stale';
}

/**
 * Splits changes into rounds with at most one change of each message, because a statement changes a row only once. Each
 * round sees the results of earlier rounds.
 */
function roundsOf(changes: readonly LeasedChange[]): readonly (readonly LeasedChange[])[] {
  const rounds: LeasedChange[][] = [];
  const counts = new Map<string, number>();
  for (const one of changes) {
    const { id } = one.change.message;
    const round = counts.get(id) ?? 0;
    counts.set(id, round + 1);
    (rounds[round] ??= []).push(one);
  }
  return rounds;
}

/**
 * Marks every queued or held message of an instance as failed, and then its actions, in the order of the queue. The
 * caller holds the lock of the queue. Returns how many messages failed.
 */
export async function failMessages(
  transaction: Transaction,
  instance: string,
  failure: QueueFailure,
): Promise<number> {
  const queued = (await transaction.all(QUEUED, instance)).map(readMessage);
  if (queued.length > 0) await writeChanges(transaction, failQueue(queued, failure, transaction.newId));
  // Read afterwards, so that their events show their messages as failed.
  const actions = (await transaction.all(QUEUED_ACTIONS, instance)).map((row) => ({
    message: readMessage(row),
    action: entities.messageAction.read(json<Row>(row, 'action')),
  }));
  const later = { ...failure, eventsFrom: failure.eventsFrom + queued.length };
  for (const outcome of failActions(actions, later, transaction.newId))
    await finishAction(transaction, outcome);
  return queued.length;
}

/** Writes changes of different messages, without a lease. Returns how many messages had the expected status. */
export async function writeChanges(
  transaction: Transaction,
  changes: readonly MessageChange[],
): Promise<number> {
  const records = changes.map((change, place) => ({ ...recordOf(change), place }));
  const rows = await transaction.all(WRITE_ALL, JSON.stringify(records));
  await leaveAside(transaction, rows, changes);
  const written = new Set(rows.map((row) => integer(row, 'place')));
  await storeEvents(
    transaction,
    changes.flatMap(({ events }, place) => (written.has(place) ? events : [])),
  );
  return written.size;
}

const ENTRIES = `(
    SELECT message_id, position FROM trunkline.queued_messages WHERE instance_id = $1::uuid
    UNION ALL
    SELECT message_id, position FROM trunkline.held_messages WHERE instance_id = $1::uuid
  ) AS queued`;

const QUEUED_ACTIONS = `
  SELECT ${MESSAGE_COLUMNS}, row_to_json(action)::text AS action
  FROM ${ENTRIES}
  JOIN trunkline.message_actions AS action ON action.id = queued.message_id
  JOIN trunkline.messages AS item ON item.id = action.message_id
  ORDER BY queued.position`;

const QUEUED = `
  SELECT ${MESSAGE_COLUMNS}
  FROM ${ENTRIES}
  JOIN trunkline.messages AS item ON item.id = queued.message_id
  ORDER BY queued.position`;

function recordOf({ message, expectedStatus }: MessageChange) {
  return {
    id: uuidToFind('msg', message.id),
    instance_id: uuidToFind('ins', message.instanceId),
    expected_status: expectedStatus,
    leaves_queue: expectedStatus === 'queued' && message.status !== 'queued',
    ...entities.messageState.columns(message),
  };
}

/** Once a message has left its queue, an edit may change its content concurrently, so only the progress is written. */
function changed(name: string): string {
  if (name in entities.messageProgress.kinds) return `${name} = record.${name}`;
  return `${name} = CASE record.expected_status WHEN 'queued' THEN record.${name} ELSE messages.${name} END`;
}

const CHANGE_RECORD = `${MESSAGE_RECORD}, expected_status text, leaves_queue boolean, place bigint`;

// Ids are compared with arrays, because the planner expects a hundred rows of JSON, for which it would read whole
// tables. The queue's length is updated in the transaction in which messages join or leave the queue. Queues are locked
// in the order of their instances.
const WRITE = `
  changed AS (
    UPDATE trunkline.messages SET ${CHANGEABLE_NAMES.map(changed).join(', ')}
    FROM record
    WHERE messages.id = ANY (ARRAY(SELECT id FROM record)) AND messages.id = record.id
      AND messages.instance_id = record.instance_id
      AND messages.status = record.expected_status
    RETURNING record.place, record.id, record.leaves_queue
  ), gone AS (
    DELETE FROM trunkline.queued_messages
    WHERE message_id = ANY (ARRAY(SELECT id FROM changed WHERE leaves_queue))
    RETURNING instance_id, message_id
  )`;

const COUNT = `
  WITH queue AS MATERIALIZED (
    SELECT instance_id FROM trunkline.queues WHERE instance_id = ANY ($1::uuid[])
    ORDER BY instance_id
    FOR NO KEY UPDATE
  )
  UPDATE trunkline.queues SET length = length - gone.messages
  FROM queue JOIN unnest($1::uuid[], $2::bigint[]) AS gone (instance_id, messages) USING (instance_id)
  WHERE queues.instance_id = queue.instance_id`;

/** Whether the message left its queue without having a row in queued_messages. */
const STANDS_ASIDE = 'coalesce(changed.leaves_queue, false) AND gone.message_id IS NULL AS stands_aside';

const WRITE_ALL = `
  WITH record AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::text::json) AS record (${CHANGE_RECORD})
  ), ${WRITE}, counted AS (
    UPDATE trunkline.queues SET length = length - left_now.messages
    FROM (SELECT instance_id, count(*) AS messages FROM gone GROUP BY instance_id) AS left_now
    WHERE queues.instance_id = left_now.instance_id
  )
  SELECT place, id, ${STANDS_ASIDE} FROM changed LEFT JOIN gone ON gone.message_id = changed.id`;

// The leases cannot change until the transaction ends, as with isHeld.
const CHANGE = `
  WITH given AS MATERIALIZED (
    SELECT given.*
    FROM set_config('lock_timeout', coalesce($2, current_setting('lock_timeout')), true),
      json_to_recordset($1::text::json) AS given (
        ${CHANGE_RECORD}, lease_instance_id uuid, lease_owner text, lease_epoch bigint
      )
  ), held AS MATERIALIZED (
    SELECT id, lease_owner, lease_epoch FROM trunkline.instances
    WHERE id = ANY (ARRAY(SELECT lease_instance_id FROM given))
      AND (id, lease_owner, lease_epoch) IN (SELECT lease_instance_id, lease_owner, lease_epoch FROM given)
      AND ${IN_TRANSACTION}
    ORDER BY id
    FOR SHARE
  ), record AS MATERIALIZED (
    SELECT given.* FROM given
    JOIN held ON held.id = lease_instance_id AND held.lease_owner = given.lease_owner
      AND held.lease_epoch = given.lease_epoch
    WHERE instance_id = lease_instance_id
  ), ${WRITE}
  SELECT
    given.place, ${IN_TRANSACTION} AS is_begun, held.id IS NOT NULL AS is_held, changed.id IS NOT NULL AS is_changed,
    given.id, gone.message_id IS NOT NULL AS left_queue, ${STANDS_ASIDE}
  FROM given
  LEFT JOIN held ON held.id = lease_instance_id AND held.lease_owner = given.lease_owner
    AND held.lease_epoch = given.lease_epoch
  LEFT JOIN changed ON changed.place = given.place
  LEFT JOIN gone ON gone.message_id = changed.id`;
