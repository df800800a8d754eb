import type {
  ClaimedEvent,
  EventClaim,
  EventClaimKey,
  EventClaimResult,
  EventCompletion,
} from '@trunkline/core/spi/storage';
import type { Database, Transaction } from '../database/database.ts';
import { entities, id, integer, integerOrNull, wordOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';
import { uuidToFind } from '../rows/uuid.ts';

/** Claims due events of the given types. Returns null if the subscription is gone. */
export async function claimEvents(database: Database, claim: EventClaim): Promise<EventClaimResult | null> {
  // Checks first, because a pass that finds nothing need not write.
  const nextAt = await nextEventAt(database, claim);
  if (nextAt === undefined) return null;
  if (nextAt === null || nextAt > claim.now || claim.limit === 0) return { claimed: [], nextAt };
  return database.transaction(async (transaction) => {
    const { claimed, missing } = await takeEvents(transaction, { ...claim, process: database.process() });
    const next = await nextEventAt(transaction, claim);
    if (next === undefined) return null;
    return { claimed, nextAt: next, ...(missing.length > 0 ? { missing } : {}) };
  });
}

/**
 * When the next event is due, but not before `now`; null if nothing is queued, undefined if the subscription is gone.
 */
async function nextEventAt(
  statements: Statements,
  { subscriptionId, eventTypes, now }: EventClaim,
): Promise<number | null | undefined> {
  const row = await statements.get(NEXT, uuidToFind('sub', subscriptionId), eventTypes);
  if (!row) return undefined;
  const nextAt = integerOrNull(row, 'next_at');
  return nextAt === null ? null : Math.max(now, nextAt);
}

// Relies on queued_events_due.
const NEXT = `
  SELECT (
    SELECT min(first.due_at)
    FROM unnest($2::text[]) AS wanted (event_type)
    CROSS JOIN LATERAL (
      SELECT due_at FROM trunkline.queued_events
      WHERE subscription_id = subscriptions.id AND queued_events.event_type = wanted.event_type
        AND due_at IS NOT NULL
      ORDER BY due_at
      LIMIT 1
    ) AS first
  ) AS next_at
  FROM trunkline.subscriptions
  WHERE id = $1`;

async function takeEvents(
  transaction: Transaction,
  claim: EventClaim & { readonly process: number },
): Promise<{ readonly claimed: readonly ClaimedEvent[]; readonly missing: readonly string[] }> {
  const { subscriptionId, eventTypes, now, limit, leaseMs, process } = claim;
  const subscription = uuidToFind('sub', subscriptionId);
  // With this lock, claims of a subscription run one after the other, so that each sees the result of the previous one.
  await transaction.run(LOCK, subscription);
  const taken = await transaction.all(TAKE, subscription, eventTypes, now, limit, now + leaseMs, process);
  const there = taken.filter((row) => row['id'] !== null);
  const missing = taken.filter((row) => row['id'] === null);
  const uuids = missing.map((row) => String(row['event_id']));
  if (uuids.length > 0) await transaction.run(DROP, uuids, subscription);
  return {
    claimed: there.map((row) => readClaimed(row, subscriptionId)),
    missing: missing.map((row) => id(row, 'event_id', 'evt')),
  };
}

const LOCK = 'SELECT 1 FROM trunkline.subscriptions WHERE id = $1 FOR NO KEY UPDATE';

// Walks queued_events_due once for each type, and reads each row and event by its id. Skips events that are being
// completed or renewed. If a row still has a token, its claim has expired. If the event is not stored, in a damaged
// database, `id` is null.
const TAKE = `
  WITH due AS MATERIALIZED (
    SELECT walked.*
    FROM unnest($2::text[]) AS wanted (event_type)
    CROSS JOIN LATERAL (
      SELECT event_id, due_at FROM trunkline.queued_events
      WHERE subscription_id = $1 AND queued_events.event_type = wanted.event_type AND due_at <= $3
      ORDER BY due_at, event_id
      LIMIT $4
      FOR UPDATE SKIP LOCKED
    ) AS walked
    ORDER BY walked.due_at, walked.event_id
    LIMIT $4
  ), taken AS (
    UPDATE trunkline.queued_events AS queued
    SET due_at = $5, lost_claims = lost_claims + (token IS NOT NULL)::integer,
      token = nextval('trunkline.event_claim_tokens'), process = $6
    WHERE queued.event_id = ANY (ARRAY(SELECT event_id FROM due)) AND queued.subscription_id = $1
    RETURNING queued.event_id, queued.token, queued.attempts, queued.lost_claims
  )
  SELECT event.*, taken.event_id, taken.token, taken.attempts, taken.lost_claims
  FROM taken
  JOIN due ON due.event_id = taken.event_id
  LEFT JOIN LATERAL (SELECT * FROM trunkline.events WHERE events.id = taken.event_id LIMIT 1) AS event ON true
  ORDER BY due.due_at, due.event_id`;

/** Drops queued events that are not stored, which would otherwise be claimed again and again. */
const DROP = 'DELETE FROM trunkline.queued_events WHERE event_id = ANY ($1::uuid[]) AND subscription_id = $2';

export async function renewClaims(
  statements: Statements,
  claims: readonly EventClaimKey[],
  until: number,
): Promise<void> {
  if (claims.length > 0) await statements.run(RENEW, JSON.stringify(claims.map(keyColumns)), until);
}

const KEY = 'event_id uuid, subscription_id uuid, token bigint';

const RENEW = `
  WITH held AS MATERIALIZED (
    SELECT event_id, subscription_id
    FROM trunkline.queued_events
    JOIN json_to_recordset($1::text::json) AS claim (${KEY}) USING (event_id, subscription_id, token)
    ORDER BY event_id, subscription_id
    FOR UPDATE OF queued_events
  )
  UPDATE trunkline.queued_events SET due_at = $2
  FROM held
  WHERE queued_events.event_id = held.event_id AND queued_events.subscription_id = held.subscription_id`;

/** Returns the number of written completions. */
export async function completeEvents(
  statements: Statements,
  completions: readonly EventCompletion[],
): Promise<number> {
  if (completions.length === 0) return 0;
  // Only the first report of a claim counts.
  const first = new Map(completions.toReversed().map((one) => [JSON.stringify(keyColumns(one)), one]));
  const outcomes = [...first.values()].map(({ outcome, ...key }) => ({
    ...keyColumns(key),
    is_handled: outcome.kind === 'handled',
    new_due_at: outcome.kind === 'queued' ? outcome.dueAt : null,
    new_exhausted_at: outcome.kind === 'exhausted' ? outcome.failedAt : null,
    new_attempts: outcome.kind === 'handled' ? 0 : outcome.attempts,
  }));
  const row = await statements.get(COMPLETE, JSON.stringify(outcomes));
  return row ? integer(row, 'written') : 0;
}

// Sorted by event, so that concurrent calls that complete the same events cannot deadlock.
const COMPLETE = `
  WITH held AS MATERIALIZED (
    SELECT event_id, subscription_id, is_handled, new_due_at, new_exhausted_at, new_attempts
    FROM trunkline.queued_events
    JOIN json_to_recordset($1::text::json)
      AS completion (
        ${KEY}, is_handled boolean, new_due_at bigint, new_exhausted_at bigint, new_attempts integer
      )
      USING (event_id, subscription_id, token)
    WHERE EXISTS (SELECT 1 FROM trunkline.subscriptions WHERE id = subscription_id)
    ORDER BY event_id, subscription_id
    FOR UPDATE OF queued_events
  ), handled AS (
    DELETE FROM trunkline.queued_events USING held
    WHERE is_handled
      AND queued_events.event_id = held.event_id AND queued_events.subscription_id = held.subscription_id
    RETURNING 1
  ), changed AS (
    UPDATE trunkline.queued_events
    SET due_at = new_due_at, exhausted_at = new_exhausted_at, attempts = new_attempts,
      lost_claims = 0, token = NULL, process = 0
    FROM held
    WHERE NOT is_handled
      AND queued_events.event_id = held.event_id AND queued_events.subscription_id = held.subscription_id
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM handled) + (SELECT count(*) FROM changed) AS written`;

function keyColumns({ eventId, subscriptionId, token }: EventClaimKey) {
  return {
    event_id: uuidToFind('evt', eventId),
    subscription_id: uuidToFind('sub', subscriptionId),
    token,
  };
}

function readClaimed(row: Row, subscriptionId: string): ClaimedEvent {
  return {
    subscriptionId,
    event: entities.event.read(row),
    traceparent: wordOrNull(row, 'traceparent'),
    token: integer(row, 'token'),
    attempts: integer(row, 'attempts'),
    lostClaims: integer(row, 'lost_claims'),
  };
}
