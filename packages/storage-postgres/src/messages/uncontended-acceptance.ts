import { recipientKeyOf } from '@trunkline/core/spi/storage';
import type { Acceptance, IdempotencyRecord, Message } from '@trunkline/core/spi/storage';
import { noting } from './chat-filing.ts';
import { nameOfKey } from './idempotency-record.ts';
import { revisionNow } from './kept-senders.ts';
import { CONTENT_NAMES, CONTENT_RECORD, contentColumns } from './message-row.ts';
import { isFaultOfValue, isLockTimeout } from '../database/pool.ts';
import { flag, integer } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidOf } from '../rows/uuid.ts';

interface StoringOptions {
  /** Whether to skip instances whose queue is locked, rather than to wait for the lock. */
  readonly skipLocked: boolean;
  /** How long to wait for each lock, as a PostgreSQL interval. */
  readonly lockTimeout: string;
}

/**
 * The instances whose messages were stored, and those whose queue was locked or missing. Messages of all other
 * instances must be decided by `acceptMessages`.
 */
export interface Uncontended {
  readonly stored: ReadonlySet<string>;
  readonly locked: ReadonlySet<string>;
}

/** Stores the uncontended messages in a single statement: all messages for an instance, or none of them. */
export async function storeUncontended(
  all: Statements['all'],
  acceptances: readonly Acceptance[],
  { skipLocked, lockTimeout }: StoringOptions,
): Promise<Uncontended> {
  const groups = plainGroups(acceptances);
  const stored = new Set<string>();
  if (groups.length === 0) return { stored, locked: new Set() };
  const locked = new Set(groups.map(([{ message }]) => message.instanceId));
  try {
    const queues = JSON.stringify(groups.map(queueOf));
    const rows = JSON.stringify(groups.flatMap((group, queue) => group.map(rowOf(queue))));
    for (const row of await all(skipLocked ? STORE_UNLOCKED : STORE_IN_TURN, queues, rows, lockTimeout)) {
      const instanceId = groups[integer(row, 'queue')]?.[0].message.instanceId ?? '';
      locked.delete(instanceId);
      if (flag(row, 'is_stored')) stored.add(instanceId);
    }
    return { stored, locked };
  } catch (error) {
    // Nothing was stored, for example because an id or a key is taken, or is being taken.
    if (isFaultOfValue(error) || isLockTimeout(error)) return { stored, locked: new Set() };
    throw error;
  }
}

type Group = readonly [Acceptance, ...Acceptance[]];

/**
 * Groups acceptances by instance. Leaves out each group with an acceptance that takes more than a look at the queue,
 * for example because it counts against a trial, has content, is scheduled, shares its key with another acceptance, or was checked
 * against another revision of the sender than the rest.
 */
function plainGroups(acceptances: readonly Acceptance[]): readonly Group[] {
  const groups = new Map<string, [Acceptance, ...Acceptance[]]>();
  const keys = new Set<string>();
  const others = new Set<string>();
  for (const acceptance of acceptances) {
    const { message, trialLimit, revision, idempotency, isScheduled = false } = acceptance;
    const { instanceId, workspaceId } = message;
    const group = groups.get(instanceId);
    if (group) group.push(acceptance);
    else groups.set(instanceId, [acceptance]);
    const isForeign = group !== undefined && group[0].message.workspaceId !== workspaceId;
    const isOtherwise = group !== undefined && group[0].revision !== revision;
    const key = idempotency && nameOfKey({ workspaceId, key: idempotency.key });
    const isRepeat = key !== null && keys.has(key);
    const hasContent = message.media?.available === true;
    const isOfItsOwn = idempotency !== null && !isRecordOf(idempotency, message);
    if (
      trialLimit !== null ||
      hasContent ||
      isScheduled ||
      isForeign ||
      isOtherwise ||
      isRepeat ||
      isOfItsOwn
    ) {
      others.add(instanceId);
    }
    if (key !== null) keys.add(key);
  }
  return [...groups].flatMap(([instanceId, group]) => (others.has(instanceId) ? [] : [group]));
}

function isRecordOf({ messageId, createdAt }: IdempotencyRecord, message: Message): boolean {
  return messageId === message.id && createdAt === message.createdAt;
}

function queueOf(group: Group, queue: number): object {
  const { message, revision } = group[0];
  const { instanceId, workspaceId } = message;
  return {
    queue,
    revision,
    instance_id: uuidOf('ins', instanceId),
    workspace_id: uuidOf('ten', workspaceId),
    messages: group.length,
    backlog_limit: Math.min(...group.map(({ backlogLimit }) => backlogLimit)),
  };
}

/** `queue` is the index of the group, from which the statement knows the instance. */
function rowOf(queue: number): (acceptance: Acceptance, place: number) => object {
  return ({ message, idempotency }, place) => ({
    ...contentColumns(message, ''),
    queue,
    place,
    queued_to: encodeText(recipientKeyOf(message)),
    ...(idempotency && {
      key: encodeText(idempotency.key),
      fingerprint: encodeText(idempotency.fingerprint),
    }),
  });
}

// Accepts a group only if `decideAcceptance` would accept each of its messages, which a contract test compares.
// Needs its own transaction, because its setting holds until the transaction ends. `is_connected` is `acceptsMessages` of
// the instance. One snapshot serves the whole statement, because the values that decide are read under the locks. The
// queues are locked first, in the order of the instances, then the keys in their order, so that two statements that store
// for the same instances cannot deadlock.
const storing = (locked: 'SKIP LOCKED' | ''): string => `
  WITH wanted AS MATERIALIZED (
    SELECT wanted.*
    FROM set_config('lock_timeout', $3, true) AS waiting, json_to_recordset($1::text::json)
      AS wanted (
        queue integer, instance_id uuid, workspace_id uuid, revision text, messages bigint, backlog_limit bigint
      )
  ), locked AS MATERIALIZED (
    SELECT wanted.* FROM wanted JOIN trunkline.queues USING (instance_id)
    ORDER BY instance_id
    FOR NO KEY UPDATE OF queues ${locked}
  ), taken AS (
    UPDATE trunkline.queues
    SET length = length + locked.messages, next_position = next_position + locked.messages
    FROM locked
    WHERE queues.instance_id = locked.instance_id AND queues.workspace_id = locked.workspace_id
      AND is_connected AND length + locked.messages <= backlog_limit
      AND (revision IS NULL OR revision = (${revisionNow('locked.workspace_id', 'locked.instance_id')}))
    RETURNING queue, queues.instance_id, queues.workspace_id, next_position - locked.messages AS first_position
  ), record AS MATERIALIZED (
    SELECT record.*, taken.workspace_id, taken.instance_id, taken.first_position
    FROM json_to_recordset($2::text::json) AS record (
      ${CONTENT_RECORD}, queue integer, place bigint, queued_to text, key text, fingerprint text
    ) JOIN taken USING (queue)
  ), stored AS (
    INSERT INTO trunkline.messages (workspace_id, instance_id, ${CONTENT_NAMES})
    SELECT workspace_id, instance_id, ${CONTENT_NAMES} FROM record
  ), noted AS (
    ${noting('record')}
  ), queued AS (
    INSERT INTO trunkline.queued_messages (instance_id, position, message_id, recipient, tries, due_at)
    SELECT instance_id, first_position + place, id, queued_to, 0, 0 FROM record
  ), remembered AS (
    INSERT INTO trunkline.idempotency_records (workspace_id, key, fingerprint, message_id, created_at)
    SELECT workspace_id, key, fingerprint, id, created_at FROM record
    WHERE key IS NOT NULL
    ORDER BY workspace_id, key
  )
  SELECT queue, taken.queue IS NOT NULL AS is_stored FROM locked LEFT JOIN taken USING (queue)`;

const STORE_UNLOCKED = storing('SKIP LOCKED');
const STORE_IN_TURN = storing('');
