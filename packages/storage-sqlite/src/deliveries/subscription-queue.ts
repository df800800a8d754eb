import type {
  ClaimedEvent,
  Event,
  EventClaim,
  EventClaimKey,
  EventClaimResult,
  EventCompletion,
} from '@trunkline/core/spi/storage';
import { takeTokens } from './claim-tokens.ts';
import type { Database } from '../database/database.ts';
import { entities, integer, integerOrNull, json, text, textOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

/**
 * The subscriptions that want events of this type. Subscriptions are few, so their lists of types are read rather than
 * indexed.
 */
export function subscriptionsTo(database: Database, eventType: string): readonly string[] {
  return database
    .all('SELECT id, event_types FROM subscriptions ORDER BY id')
    .filter((row) => json<readonly string[]>(row, 'event_types').includes(eventType))
    .map((row) => text(row, 'id'));
}

export function queueEvent(database: Database, subscriptionId: string, event: Event): void {
  database.insert('queued_events', {
    event_id: event.id,
    subscription_id: subscriptionId,
    event_type: event.type,
    due_at: Math.floor(event.occurredAt / 1000),
    attempts: 0,
    lost_claims: 0,
    token: null,
  });
}

/** Claims due events of the given types, at the same cost however many other events are queued. */
export function claimEvents(
  database: Database,
  claim: EventClaim & { readonly process: number },
): EventClaimResult {
  const due = dueEvents(database, claim);
  const nextToken = due.length > 0 ? takeTokens(database, due.length) : () => 0;
  const missing: string[] = [];
  const claimed = due.flatMap((row) => {
    const taken = takeEvent(database, row, { ...claim, token: nextToken() });
    if (taken) return [taken];
    missing.push(dropEvent(database, row));
    return [];
  });
  return { claimed, nextAt: nextEventAt(database, claim), ...(missing.length > 0 ? { missing } : {}) };
}

/** Whether `claimEvents` would find an event. */
export function hasDueEvents(database: Database, claim: EventClaim): boolean {
  return dueEvents(database, { ...claim, limit: Math.min(claim.limit, 1) }).length > 0;
}

export function nextEventAt(
  database: Database,
  { subscriptionId, eventTypes, now }: EventClaim,
): number | null {
  const times = eventTypes.flatMap((type) => {
    // Relies on queued_events_due.
    const row = database.get(
      `SELECT due_at FROM queued_events
       WHERE subscription_id = ? AND event_type = ? AND due_at IS NOT NULL
       ORDER BY due_at
       LIMIT 1`,
      subscriptionId,
      type,
    );
    return row ? [integer(row, 'due_at')] : [];
  });
  return times.length === 0 ? null : Math.max(now, Math.min(...times));
}

export function renewClaim(
  database: Database,
  { subscriptionId, eventId, token }: EventClaimKey,
  until: number,
): void {
  database.run(
    'UPDATE queued_events SET due_at = ? WHERE event_id = ? AND subscription_id = ? AND token = ?',
    until,
    eventId,
    subscriptionId,
    token,
  );
}

export function completeEvent(database: Database, completion: EventCompletion): boolean {
  const { subscriptionId, eventId, token, outcome } = completion;
  const isThere = database.get('SELECT 1 FROM subscriptions WHERE id = ?', subscriptionId) !== undefined;
  if (!isThere) return false;
  if (outcome.kind === 'handled') {
    const sql = 'DELETE FROM queued_events WHERE event_id = ? AND subscription_id = ? AND token = ?';
    return database.run(sql, eventId, subscriptionId, token) === 1;
  }
  const changed = database.run(
    `UPDATE queued_events
     SET due_at = ?, exhausted_at = ?, attempts = ?, lost_claims = 0, token = NULL, process = 0
     WHERE event_id = ? AND subscription_id = ? AND token = ?`,
    outcome.kind === 'queued' ? outcome.dueAt : null,
    outcome.kind === 'exhausted' ? outcome.failedAt : null,
    outcome.attempts,
    eventId,
    subscriptionId,
    token,
  );
  return changed === 1;
}

/** Walks queued_events_due once for each type, and merges the results. */
function dueEvents(
  database: Database,
  { subscriptionId, eventTypes, now, limit }: EventClaim,
): readonly Row[] {
  const due = eventTypes.flatMap((type) =>
    database.all(
      `SELECT * FROM queued_events
       WHERE subscription_id = ? AND event_type = ? AND due_at <= ?
       ORDER BY due_at, event_id
       LIMIT ?`,
      subscriptionId,
      type,
      now,
      limit,
    ),
  );
  return due.toSorted(compareDue).slice(0, limit);
}

function compareDue(a: Row, b: Row): number {
  const difference = integer(a, 'due_at') - integer(b, 'due_at');
  if (difference !== 0) return difference;
  return text(a, 'event_id') < text(b, 'event_id') ? -1 : 1;
}

/** Removes an event that is not stored from the queue, where it would block the events behind it. Returns its id. */
function dropEvent(database: Database, row: Row): string {
  const eventId = text(row, 'event_id');
  const subscriptionId = text(row, 'subscription_id');
  database.run(
    'DELETE FROM queued_events WHERE event_id = ? AND subscription_id = ?',
    eventId,
    subscriptionId,
  );
  return eventId;
}

/** Returns null if the event is not stored. */
function takeEvent(
  database: Database,
  row: Row,
  {
    subscriptionId,
    now,
    leaseMs,
    token,
    process,
  }: EventClaim & {
    readonly token: number;
    readonly process: number;
  },
): ClaimedEvent | null {
  const event = database.get(EVENT, text(row, 'event_id'));
  if (!event) return null;
  // If the row still has a token, its claim has expired.
  const isLost = integerOrNull(row, 'token') !== null;
  const lostClaims = integer(row, 'lost_claims') + Number(isLost);
  database.run(
    `UPDATE queued_events SET due_at = ?, lost_claims = ?, token = ?, process = ?
     WHERE event_id = ? AND subscription_id = ?`,
    now + leaseMs,
    lostClaims,
    token,
    process,
    text(row, 'event_id'),
    subscriptionId,
  );
  return {
    subscriptionId,
    event: entities.event.read(event),
    traceparent: textOrNull(event, 'traceparent'),
    token,
    attempts: integer(row, 'attempts'),
    lostClaims,
  };
}

const EVENT = `
  SELECT events.*, event_traces.traceparent
  FROM events LEFT JOIN event_traces ON event_traces.event_id = events.id
  WHERE events.id = ?`;
