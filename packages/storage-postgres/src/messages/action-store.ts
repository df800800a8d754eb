import { actionEntryId, decideActionAcceptance } from '@trunkline/core/spi/storage';
import type {
  ActionAcceptance,
  ActionAcceptanceResult,
  ActionOutcome,
  ActionStore,
  RememberedAction,
} from '@trunkline/core/spi/storage';
import { TransactionConflict } from '../database/database.ts';
import type { Connected, Transaction } from '../database/database.ts';
import { readPage } from '../database/page.ts';
import { storeEvents } from '../deliveries/event-fan-out.ts';
import type { Statements } from '../database/statements.ts';
import { isHeld } from '../processes/lease.ts';
import { entities, flag, integer } from '../rows/row.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';
import { lockContent, writeContent } from './content-change.ts';
import { leaveHeld } from './held-messages.ts';
import { isBehindOthers, leaveQueues } from './queue.ts';
import { lockScheduled } from './scheduled-messages.ts';

export function actionStore(connected: Connected): ActionStore {
  return {
    accept: async (acceptance) => {
      const database = connected();
      const result = await database.transaction((transaction) => accept(transaction, acceptance));
      const { instanceId } = acceptance.action;
      if (result.kind === 'accepted') database.publish([{ topic: 'queue', instanceId }]);
      return result;
    },
    findByKey: async (workspaceId, key) => findByKey(connected(), workspaceId, key),
    list: async (workspaceId, messageId, page) => {
      // Relies on message_actions_by_message.
      const list = {
        prefix: 'act',
        table: 'trunkline.message_actions',
        columns: 'item.*',
        parts: 'unnest($1::uuid[], $2::uuid[]) AS part (message_id, workspace_id)',
        keys: { message_id: 'part.message_id', workspace_id: 'part.workspace_id' },
        values: [[uuidToFind('msg', messageId)], [uuidToFind('ten', workspaceId)]],
      } as const;
      return readPage(connected(), list, page, entities.messageAction.read);
    },
    listOnMessages: async (workspaceId, messageIds) => {
      const uuids = messageIds.flatMap((id) => uuidToFind('msg', id) ?? []);
      const rows = await connected().all(ON_MESSAGES, uuids, uuidToFind('ten', workspaceId));
      return rows.map(entities.messageAction.read);
    },
    finish: async (lease, outcome) =>
      connected().transaction(async (transaction) => {
        if (!(await isHeld(transaction, lease))) return 'fenced';
        const { action, change } = outcome;
        if (action.instanceId !== lease.instanceId) return 'stale';
        if (!(await transaction.get(IS_QUEUED, uuidOf('act', action.id)))) return 'stale';
        const instance = uuidOf('ins', lease.instanceId);
        const changed = change && (await lockContent(transaction, instance, change));
        if (changed === null) return 'message_changed';
        await markRead(transaction, outcome);
        if (!(await finishAction(transaction, outcome))) throw new TransactionConflict();
        if (changed) await writeContent(transaction, changed);
        return 'finished';
      }),
  };
}

async function accept(
  transaction: Transaction,
  acceptance: ActionAcceptance,
): Promise<ActionAcceptanceResult> {
  const { action, idempotency, inPlace } = acceptance;
  const { workspaceId, instanceId, messageId } = action;
  // Locks the message, then its place in the schedule, then the queue, like everything that takes a message out of one.
  const edited = inPlace && (await lockContent(transaction, uuidToFind('ins', instanceId), inPlace.change));
  const isScheduled = edited !== null && (await lockScheduled(transaction, edited.before));
  const message = await transaction.get(KEEP, uuidToFind('msg', messageId), uuidToFind('ins', instanceId));
  const queue = await transaction.get(
    LOCK_QUEUE,
    uuidToFind('ins', instanceId),
    uuidToFind('ten', workspaceId),
  );
  const remembered = idempotency && (await findByKey(transaction, workspaceId, idempotency.key));
  const result = decideActionAcceptance(acceptance, {
    remembered,
    instance: queue
      ? { acceptsMessages: flag(queue, 'is_connected'), queued: integer(queue, 'length') }
      : null,
    hasMessage: message !== undefined,
    isWaiting:
      edited !== null &&
      (isScheduled || (await isBehindOthers(transaction, edited.before, action.createdAt))),
  });
  const isInPlace = result.kind === 'edited_in_place';
  if ((result.kind !== 'accepted' && !isInPlace) || !queue) return result;
  if (remembered) await transaction.run(FORGET_KEY, uuidOf('act', remembered.action.id));
  const columns = {
    ...entities.messageAction.columns(isInPlace && inPlace ? inPlace.action : action),
    ...entities.actionKey.columns(idempotency),
  };
  // A request for another instance has used the key since it was looked up. The next run sees that.
  if ((await transaction.run(STORE, JSON.stringify(columns))) === 0) throw new TransactionConflict();
  if (isInPlace && edited) {
    await writeContent(transaction, edited);
    return result;
  }
  await transaction.run(
    ENQUEUE,
    uuidOf('ins', instanceId),
    integer(queue, 'next_position'),
    uuidOf('act', action.id),
    encodeText(action.recipient),
  );
  return result;
}

/** Writes the outcome of an action that is still queued, and takes it out of its queue. Returns whether it was. */
export async function finishAction(
  transaction: Transaction,
  { action, events }: ActionOutcome,
): Promise<boolean> {
  const entry = [uuidOf('msg', actionEntryId(action.id))];
  await leaveQueues(transaction, entry);
  await leaveHeld(transaction, entry);
  const { id, status, error, sent_at, failed_at } = entities.messageAction.columns(action);
  const values = [status ?? null, error ?? null, sent_at ?? null, failed_at ?? null];
  const isFinished = (await transaction.run(FINISH, id ?? null, ...values)) > 0;
  if (isFinished) await storeEvents(transaction, events);
  return isFinished;
}

/** Writes which messages a read mark covers. */
async function markRead(transaction: Transaction, { action, marked = [] }: ActionOutcome): Promise<void> {
  if (marked.length === 0) return;
  const ids = marked.map((id) => uuidOf('msg', id));
  await transaction.run(MARK_READ, ids, uuidOf('ins', action.instanceId), action.sentAt);
}

async function findByKey(
  statements: Statements,
  workspaceId: string,
  key: string,
): Promise<RememberedAction | null> {
  const row = await statements.get(FIND_BY_KEY, encodeText(key), uuidToFind('ten', workspaceId));
  const stored = row ? entities.actionKey.read(row) : null;
  return row && stored ? { action: entities.messageAction.read(row), fingerprint: stored.fingerprint } : null;
}

// Relies on message_actions_by_key.
const FIND_BY_KEY = `
  SELECT * FROM trunkline.message_actions WHERE idempotency_key = $1 AND workspace_id = $2`;

// Relies on message_actions_by_message.
const ON_MESSAGES = `
  SELECT * FROM trunkline.message_actions WHERE message_id = ANY ($1::uuid[]) AND workspace_id = $2 ORDER BY id`;

const KEEP = 'SELECT 1 FROM trunkline.messages WHERE id = $1 AND instance_id = $2 FOR KEY SHARE';

const LOCK_QUEUE = `
  SELECT * FROM trunkline.queues WHERE instance_id = $1 AND workspace_id = $2 FOR NO KEY UPDATE`;

const FORGET_KEY = `
  UPDATE trunkline.message_actions SET idempotency_key = NULL, fingerprint = NULL WHERE id = $1`;

const STORE = `
  INSERT INTO trunkline.message_actions
  SELECT * FROM json_populate_record(NULL::trunkline.message_actions, $1::text::json)
  ON CONFLICT (idempotency_key, workspace_id) WHERE idempotency_key IS NOT NULL DO NOTHING`;

const ENQUEUE = `
  WITH queued AS (
    INSERT INTO trunkline.queued_messages (instance_id, position, message_id, recipient, tries, due_at)
    VALUES ($1, $2, $3, $4, 0, 0)
  )
  UPDATE trunkline.queues SET length = length + 1, next_position = next_position + 1 WHERE instance_id = $1`;

const IS_QUEUED = "SELECT 1 FROM trunkline.message_actions WHERE id = $1 AND status = 'queued'";

/** Locks the messages in the order of their ids, as everything that locks several of them does. */
const MARK_READ = `
  UPDATE trunkline.messages AS item SET read_at = $3
  FROM (
    SELECT id FROM trunkline.messages
    WHERE id = ANY ($1::uuid[]) AND instance_id = $2 AND direction = 'inbound' AND read_at IS NULL
    ORDER BY id FOR NO KEY UPDATE
  ) AS unread
  WHERE item.id = unread.id`;

const FINISH = `
  UPDATE trunkline.message_actions SET status = $2, error = $3, sent_at = $4, failed_at = $5
  WHERE id = $1 AND status = 'queued'`;
