import type { EventSubscription, SubscriptionStore } from '@trunkline/core';
import type { Connected, Database, Transaction } from './database.ts';
import { id, integer, json, text } from './row.ts';
import type { Row } from './row.ts';
import { shortenEventWaits } from './shorten-waits.ts';
import type { Statements } from './statements.ts';
import { claimEvents, completeEvents, renewClaims } from './subscription-queue.ts';
import { encodeText } from './text-encoding.ts';
import { uuidOf } from './uuid.ts';

export function subscriptionStore(connected: Connected): SubscriptionStore {
  return {
    register: async ({ id: subscriptionId, name, eventTypes, createdAt }) => {
      const values = [uuidOf('sub', subscriptionId), encodeText(name), eventTypes, createdAt] as const;
      const row = await connected().get(REGISTER, ...values);
      if (!row) throw new Error(`The subscription ${name} was written, but it is not there.`);
      return readSubscription(row);
    },
    list: async (countUpTo) => {
      const rows = await connected().all(LIST, countUpTo);
      return rows.map((row) => ({
        subscription: readSubscription(row),
        waiting: integer(row, 'waiting'),
        exhausted: integer(row, 'exhausted'),
      }));
    },
    delete: async (name) => (await connected().run(DELETE, encodeText(name))) > 0,

    claim: async (claim) => claimEvents(connected(), claim),
    shortenWaits: async (queue, step) => shortenEventWaits(connected(), queue, step),
    renew: async (claims, until) => renewClaims(connected(), claims, until),
    complete: async (completions) => completeEvents(connected(), completions),

    retryExhausted: async (name, { limit, countUpTo, now }) =>
      connected().transaction(async (transaction) => {
        const row = await transaction.get(FIND, encodeText(name));
        if (!row) return null;
        const subscription = uuidOf('sub', id(row, 'id', 'sub'));
        const requeued = await transaction.run(REQUEUE, subscription, limit, now);
        if (requeued > 0) transaction.announce({ topic: 'subscriptions' });
        return { requeued, remaining: await countExhausted(transaction, subscription, countUpTo) };
      }),

    sweepDeleted: async (limit) => sweepDeleted(connected(), limit),
  };
}

const REGISTER = `
  INSERT INTO trunkline.subscriptions (id, name, event_types, created_at) VALUES ($1, $2, $3::text[], $4)
  ON CONFLICT (name) DO UPDATE SET event_types = excluded.event_types
  RETURNING id, name, to_json(event_types) AS event_types, created_at`;

/** Along queued_events_due, which is the only index in this order. */
const waitingIn = (subscription: string): string => `
  SELECT event_id FROM trunkline.queued_events
  WHERE subscription_id BETWEEN ${subscription} AND ${subscription} AND due_at IS NOT NULL
  ORDER BY subscription_id, event_type, due_at, event_id`;

/** Oldest first, along queued_events_exhausted, likewise. */
const exhaustedIn = (subscription: string): string => `
  SELECT event_id FROM trunkline.queued_events
  WHERE subscription_id BETWEEN ${subscription} AND ${subscription} AND due_at IS NULL
  ORDER BY subscription_id, event_id`;

/** Looks at no more rows than it counts. */
const LIST = `
  SELECT id, name, to_json(event_types) AS event_types, created_at,
    (SELECT count(*) FROM (${waitingIn('subscriptions.id')} LIMIT $1) AS found) AS waiting,
    (SELECT count(*) FROM (${exhaustedIn('subscriptions.id')} LIMIT $1) AS found) AS exhausted
  FROM trunkline.subscriptions
  ORDER BY name`;

const DELETE = `
  WITH deleted AS (DELETE FROM trunkline.subscriptions WHERE name = $1 RETURNING id)
  INSERT INTO trunkline.deleted_subscriptions (id) SELECT id FROM deleted`;

const FIND = 'SELECT id FROM trunkline.subscriptions WHERE name = $1';

const REQUEUE = `
  UPDATE trunkline.queued_events SET due_at = $3
  WHERE subscription_id = $1 AND event_id = ANY (ARRAY(${exhaustedIn('$1')} LIMIT $2 FOR UPDATE))`;

async function countExhausted(statements: Statements, subscription: string, upTo: number): Promise<number> {
  const row = await statements.get(COUNT_EXHAUSTED, subscription, upTo);
  return row ? integer(row, 'found') : 0;
}

const COUNT_EXHAUSTED = `
  SELECT count(*) AS found FROM (${exhaustedIn('$1')} LIMIT $2) AS one`;

async function sweepDeleted(database: Database, limit: number): Promise<number> {
  const deleted = await database.all('SELECT id FROM trunkline.deleted_subscriptions ORDER BY id');
  if (deleted.length === 0) return 0;
  return database.transaction(async (transaction) => {
    let swept = 0;
    for (const row of deleted) {
      const subscription = uuidOf('sub', id(row, 'id', 'sub'));
      swept += await sweep(transaction, subscription, limit - swept);
    }
    if (swept < limit) await transaction.run(FORGET);
    return swept;
  });
}

async function sweep(transaction: Transaction, subscription: string, limit: number): Promise<number> {
  const waiting = await transaction.run(sweepOf(waitingIn('$1')), subscription, limit);
  return waiting + (await transaction.run(sweepOf(exhaustedIn('$1')), subscription, limit - waiting));
}

function sweepOf(events: string): string {
  return `
    DELETE FROM trunkline.queued_events
    WHERE subscription_id = $1 AND event_id = ANY (ARRAY(${events} LIMIT $2))`;
}

// By then every transaction that had still seen it has ended.
const FORGET = "DELETE FROM trunkline.deleted_subscriptions WHERE deleted_at < now() - interval '1 hour'";

function readSubscription(row: Row): EventSubscription {
  return {
    id: id(row, 'id', 'sub'),
    name: text(row, 'name'),
    eventTypes: json(row, 'event_types'),
    createdAt: integer(row, 'created_at'),
  };
}
