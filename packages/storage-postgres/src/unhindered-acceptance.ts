import type { Acceptance } from '@trunkline/core/spi/storage';
import { nameOfKey } from './idempotency-record.ts';
import { revisionNow } from './kept-senders.ts';
import { keyOf } from './message-acceptance.ts';
import { MESSAGE_NAMES, MESSAGE_RECORD, messageColumns } from './message-row.ts';
import { isFaultOfValue, isLockTimeout } from './pool.ts';
import { id } from './row.ts';
import type { Statements } from './statements.ts';
import { encodeText } from './text-encoding.ts';
import { uuidOf } from './uuid.ts';

export interface Unhindered {
  /** Whether to pass over instances whose queue somebody else has locked, rather than to wait for it. */
  readonly skipLocked: boolean;
  /** How long to wait for each lock, as an interval of Postgres. */
  readonly lockTimeout: string;
}

/**
 * Stores, in a single statement, what nothing stands in the way of: all that is for an instance, or none of it. Answers
 * the instances whose messages are stored; the others are to be judged one by one.
 */
export async function storeUnhindered(
  all: Statements['all'],
  acceptances: readonly Acceptance[],
  { skipLocked, lockTimeout }: Unhindered,
): Promise<ReadonlySet<string>> {
  const groups = plainGroups(acceptances);
  if (groups.length === 0) return new Set();
  try {
    const queues = JSON.stringify(groups.map(queueOf));
    const rows = JSON.stringify(groups.flatMap((group) => group.map(rowOf)));
    const taken = await all(skipLocked ? STORE_UNLOCKED : STORE_IN_TURN, queues, rows, lockTimeout);
    return new Set(taken.map((row) => id(row, 'instance_id', 'ins')));
  } catch (error) {
    // As with an id or a key that is taken, or is being taken: then nothing of it is stored.
    if (isFaultOfValue(error) || isLockTimeout(error)) return new Set();
    throw error;
  }
}

type Group = readonly [Acceptance, ...Acceptance[]];

/**
 * By instance. Those are left out in which one takes more than a look at the queue: it counts against a trial, has
 * content, shares its key with another, or was checked against another sender than the rest.
 */
function plainGroups(acceptances: readonly Acceptance[]): readonly Group[] {
  const groups = new Map<string, [Acceptance, ...Acceptance[]]>();
  const keys = new Set<string>();
  const others = new Set<string>();
  for (const acceptance of acceptances) {
    const { message, trialLimit, revision } = acceptance;
    const { instanceId, workspaceId } = message;
    const group = groups.get(instanceId);
    if (group) group.push(acceptance);
    else groups.set(instanceId, [acceptance]);
    const isForeign = group !== undefined && group[0].message.workspaceId !== workspaceId;
    const isOtherwise = group !== undefined && group[0].revision !== revision;
    const isRepeat = keyOf(acceptance)
      .map(nameOfKey)
      .some((key) => keys.has(key));
    const hasContent = message.media?.available === true;
    if (trialLimit !== null || hasContent || isForeign || isOtherwise || isRepeat) others.add(instanceId);
    for (const key of keyOf(acceptance)) keys.add(nameOfKey(key));
  }
  return [...groups].flatMap(([instanceId, group]) => (others.has(instanceId) ? [] : [group]));
}

function queueOf(group: Group): object {
  const { message, revision } = group[0];
  const { instanceId, workspaceId } = message;
  return {
    revision,
    instance_id: uuidOf('ins', instanceId),
    workspace_id: uuidOf('ten', workspaceId),
    messages: group.length,
    backlog_limit: Math.min(...group.map(({ backlogLimit }) => backlogLimit)),
  };
}

function rowOf({ message, idempotency }: Acceptance, place: number): object {
  const remembered = idempotency && {
    key: encodeText(idempotency.key),
    fingerprint: encodeText(idempotency.fingerprint),
    remembered_id: uuidOf('msg', idempotency.messageId),
    remembered_at: idempotency.createdAt,
  };
  return { ...messageColumns(message, ''), place, ...remembered };
}

// `is_connected` is whether messages are accepted; see migration 0003. One snapshot serves for all of it, since what counts is read under the locks. The locks of the queues come first and
// in the order of the instances, then the keys in theirs, so that two that store for the same do not wait for each other.
const storing = (locked: 'SKIP LOCKED' | ''): string => `
  WITH wanted AS MATERIALIZED (
    SELECT wanted.*
    FROM set_config('lock_timeout', $3, true), json_to_recordset($1::text::json)
      AS wanted (instance_id uuid, workspace_id uuid, revision text, messages bigint, backlog_limit bigint)
  ), locked AS MATERIALIZED (
    SELECT instance_id FROM trunkline.queues
    WHERE instance_id IN (SELECT instance_id FROM wanted)
    ORDER BY instance_id
    FOR NO KEY UPDATE ${locked}
  ), taken AS (
    UPDATE trunkline.queues
    SET length = length + wanted.messages, next_position = next_position + wanted.messages
    FROM locked JOIN wanted USING (instance_id)
    WHERE queues.instance_id = locked.instance_id AND queues.workspace_id = wanted.workspace_id
      AND is_connected AND length + wanted.messages <= backlog_limit
      AND (revision IS NULL OR revision = (${revisionNow('wanted.workspace_id', 'wanted.instance_id')}))
    RETURNING queues.instance_id, next_position - wanted.messages AS first_position
  ), record AS MATERIALIZED (
    SELECT record.*, taken.first_position
    FROM json_to_recordset($2::text::json) AS record (
      ${MESSAGE_RECORD}, place bigint, key text, fingerprint text, remembered_id uuid, remembered_at bigint
    ) JOIN taken USING (instance_id)
  ), stored AS (
    INSERT INTO trunkline.messages (${MESSAGE_NAMES}) SELECT ${MESSAGE_NAMES} FROM record
  ), queued AS (
    INSERT INTO trunkline.queued_messages (instance_id, position, message_id, tries, due_at)
    SELECT instance_id, first_position + place, id, 0, 0 FROM record
  ), remembered AS (
    INSERT INTO trunkline.idempotency_records (workspace_id, key, fingerprint, message_id, created_at)
    SELECT workspace_id, key, fingerprint, remembered_id, remembered_at FROM record
    WHERE key IS NOT NULL
    ORDER BY workspace_id, key
  )
  SELECT instance_id FROM taken`;

const STORE_UNLOCKED = storing('SKIP LOCKED');
const STORE_IN_TURN = storing('');
