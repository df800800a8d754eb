import { takeRetryBatch } from '@trunkline/core/spi/storage';
import type { SubscriptionStore } from '@trunkline/core/spi/storage';
import type { Connected, Database, Transaction } from '../database/database.ts';
import { entities, id, integer, integerOrNull } from '../rows/row.ts';
import { claimEvents, completeEvents, renewClaims } from './subscription-queue.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidOf } from '../rows/uuid.ts';

export function subscriptionStore(connected: Connected): SubscriptionStore {
  return {
    register: async ({ id: subscriptionId, name, eventTypes, createdAt }) => {
      const values = [uuidOf('sub', subscriptionId), encodeText(name), eventTypes, createdAt] as const;
      const row = await connected().get(REGISTER, ...values);
      if (!row)
        throw new Error(
          `The subscription ${name} was written, but is missing: check the database for damage.`,
        );
      return entities.subscription.read(row);
    },
    list: async (countUpTo) => {
      const listed = await connected().all(LIST, countUpTo);
      return listed.map((row) => ({
        subscription: entities.subscription.read(row),
        waiting: integer(row, 'waiting'),
        exhausted: integer(row, 'exhausted'),
      }));
    },
    delete: async (name) => (await connected().run(DELETE, encodeText(name))) > 0,

    claim: async (claim) => claimEvents(connected(), claim),
    renew: async (claims, until) => renewClaims(connected(), claims, until),
    complete: async (completions) => completeEvents(connected(), completions),

    retryFailedEvents: async (name, { limit, countUpTo, now }) =>
      connected().transaction(async (transaction) => {
        const row = await transaction.get(FIND, encodeText(name));
        if (!row) return null;
        const subscription = uuidOf('sub', id(row, 'id', 'sub'));
        const exhausted = await transaction.all(FIRST_EXHAUSTED, subscription, limit + countUpTo);
        const { chosen, remaining, round } = takeRetryBatch(exhausted, {
          limit,
          now,
          round: entities.retryRound.read(row),
          failedAt: (one) => integerOrNull(one, 'exhausted_at'),
        });
        if (chosen.length > 0) {
          const events = chosen.map((one) => String(one['event_id']));
          await transaction.run(REQUEUE, subscription, events, now);
          transaction.announce({ topic: 'subscriptions' });
        }
        await transaction.run(WRITE_ROUND, subscription, round?.beganAt ?? null, round?.calledAt ?? null);
        return { requeued: chosen.length, remaining };
      }),
  };
}

const REGISTER = `
  INSERT INTO trunkline.subscriptions (id, name, event_types, created_at) VALUES ($1, $2, $3::text[], $4)
  ON CONFLICT (name) DO UPDATE SET event_types = excluded.event_types
  RETURNING id, name, event_types, created_at`;

/** Walks queued_events_due, which is the only index in this order. */
const waitingIn = (subscription: string): string => `
  SELECT event_id FROM trunkline.queued_events
  WHERE subscription_id BETWEEN ${subscription} AND ${subscription} AND due_at IS NOT NULL
  ORDER BY subscription_id, event_type, due_at, event_id`;

/** The exhausted events, those that failed longest ago first. Walks queued_events_exhausted. */
const exhaustedIn = (subscription: string): string => `
  SELECT event_id, exhausted_at FROM trunkline.queued_events
  WHERE subscription_id BETWEEN ${subscription} AND ${subscription} AND due_at IS NULL
  ORDER BY subscription_id, exhausted_at, event_id`;

/** Reads no more rows than it counts. */
const LIST = `
  SELECT id, name, event_types, created_at,
    (SELECT count(*) FROM (${waitingIn('subscriptions.id')} LIMIT $1) AS found) AS waiting,
    (SELECT count(*) FROM (${exhaustedIn('subscriptions.id')} LIMIT $1) AS found) AS exhausted
  FROM trunkline.subscriptions
  ORDER BY name`;

const DELETE = `
  WITH deleted AS (DELETE FROM trunkline.subscriptions WHERE name = $1 RETURNING id)
  INSERT INTO trunkline.deleted_subscriptions (id) SELECT id FROM deleted`;

/** The lock makes calls run one after the other, so that no call takes events that another has taken. */
const FIND = `
  SELECT id, retry_round_began_at, retry_round_called_at FROM trunkline.subscriptions
  WHERE name = $1
  FOR NO KEY UPDATE`;

const FIRST_EXHAUSTED = `${exhaustedIn('$1')} LIMIT $2 FOR UPDATE`;

const REQUEUE = `
  UPDATE trunkline.queued_events SET due_at = $3
  WHERE subscription_id = $1 AND event_id = ANY ($2::uuid[])`;

const WRITE_ROUND = `
  UPDATE trunkline.subscriptions SET retry_round_began_at = $2::bigint, retry_round_called_at = $3
  WHERE id = $1 AND (retry_round_began_at IS NOT NULL OR $2::bigint IS NOT NULL)`;

/** Deletes what is queued for deleted subscriptions, at most `limit` rows. Returns how many. */
export async function sweepDeleted(database: Database, limit: number): Promise<number> {
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
    WHERE subscription_id = $1 AND event_id = ANY (ARRAY(SELECT event_id FROM (${events} LIMIT $2) AS found))`;
}

// After an hour, every transaction that still saw the subscription has ended.
const FORGET = "DELETE FROM trunkline.deleted_subscriptions WHERE deleted_at < now() - interval '1 hour'";
