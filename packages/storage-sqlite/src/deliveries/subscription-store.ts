import { takeRetryBatch } from '@trunkline/core/spi/storage';
import type { SubscriptionStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { entities, integer, integerOrNull, text } from '../rows/row.ts';
import { claimEvents, completeEvent, hasDueEvents, nextEventAt, renewClaim } from './subscription-queue.ts';

export function subscriptionStore(connected: Connected): SubscriptionStore {
  return {
    register: async ({ id, name, eventTypes, createdAt }) => {
      const { database, write } = connected();
      return write(() => {
        const row = database.get(
          `INSERT INTO subscriptions (id, name, event_types, created_at) VALUES (?, ?, ?, ?)
           ON CONFLICT (name) DO UPDATE SET event_types = excluded.event_types
           RETURNING *`,
          id,
          name,
          JSON.stringify(eventTypes),
          createdAt,
        );
        if (!row)
          throw new Error(
            `The subscription ${name} was written, but is missing: check the database for damage.`,
          );
        return entities.subscription.read(row);
      });
    },
    list: async (countUpTo) => {
      const { database } = connected();
      return database.snapshot(() =>
        database.all('SELECT * FROM subscriptions ORDER BY name').map((row) => ({
          subscription: entities.subscription.read(row),
          waiting: count(database, WAITING, text(row, 'id'), countUpTo),
          exhausted: count(database, EXHAUSTED, text(row, 'id'), countUpTo),
        })),
      );
    },
    delete: async (name) => {
      const { database, write } = connected();
      return write(() => {
        const row = database.get('DELETE FROM subscriptions WHERE name = ? RETURNING id', name);
        if (row) database.insert('deleted_subscriptions', { id: text(row, 'id') });
        return row !== undefined;
      });
    },

    claim: async (claim) => {
      const { database, process, write } = connected();
      // Checks first, because a pass that finds nothing need not write.
      const idle = database.snapshot(() => {
        if (!isThere(database, claim.subscriptionId)) return { result: null };
        if (hasDueEvents(database, claim)) return null;
        return { result: { claimed: [], nextAt: nextEventAt(database, claim) } };
      });
      if (idle) return idle.result;
      return write(() =>
        isThere(database, claim.subscriptionId)
          ? claimEvents(database, { ...claim, process: process() })
          : null,
      );
    },
    renew: async (claims, until) => {
      const { database, write } = connected();
      await write(() => {
        for (const claim of claims) renewClaim(database, claim, until);
      });
    },
    complete: async (completions) => {
      const { database, write } = connected();
      return write(() => completions.filter((completion) => completeEvent(database, completion)).length);
    },

    retryFailedEvents: async (name, { limit, countUpTo, now }) => {
      const { database, write } = connected();
      return write((announce) => {
        const subscription = database.get('SELECT * FROM subscriptions WHERE name = ?', name);
        if (!subscription) return null;
        const id = text(subscription, 'id');
        const exhausted = database.all(FIRST_EXHAUSTED, id, limit + countUpTo);
        const { chosen, remaining, round } = takeRetryBatch(exhausted, {
          limit,
          now,
          round: entities.retryRound.read(subscription),
          failedAt: (row) => integerOrNull(row, 'exhausted_at'),
        });
        for (const row of chosen) database.run(REQUEUE, now, text(row, 'event_id'), id);
        database.update('subscriptions', id, entities.retryRound.columns(round));
        if (chosen.length > 0) announce({ topic: 'subscriptions' });
        return { requeued: chosen.length, remaining };
      });
    },
  };
}

// These conditions rely on queued_events_due and queued_events_exhausted.
const WAITING = 'FROM queued_events WHERE subscription_id = ? AND due_at IS NOT NULL';
const EXHAUSTED = 'FROM queued_events WHERE subscription_id = ? AND due_at IS NULL';
const FIRST_EXHAUSTED = `SELECT event_id, exhausted_at ${EXHAUSTED} ORDER BY exhausted_at, event_id LIMIT ?`;
const REQUEUE = 'UPDATE queued_events SET due_at = ? WHERE event_id = ? AND subscription_id = ?';
const TO_SWEEP = 'SELECT id FROM deleted_subscriptions ORDER BY id LIMIT 1';

/** Deletes what is queued for deleted subscriptions, at most `limit` rows. Returns how many. */
export function sweepDeleted(database: Database, limit: number): number {
  let swept = 0;
  while (swept < limit) {
    const row = database.get(TO_SWEEP);
    if (!row) break;
    const id = text(row, 'id');
    for (const queued of [WAITING, EXHAUSTED]) {
      swept += database.run(
        `DELETE FROM queued_events WHERE subscription_id = ? AND event_id IN (SELECT event_id ${queued} LIMIT ?)`,
        id,
        id,
        limit - swept,
      );
    }
    if (swept < limit) database.run('DELETE FROM deleted_subscriptions WHERE id = ?', id);
  }
  return swept;
}

function isThere(database: Database, id: string): boolean {
  return database.get('SELECT 1 FROM subscriptions WHERE id = ?', id) !== undefined;
}

/** Reads no more rows than it counts. */
function count(database: Database, queued: string, id: string, upTo: number): number {
  const row = database.get(`SELECT count(*) AS found FROM (SELECT 1 ${queued} LIMIT ?)`, id, upTo);
  return row ? integer(row, 'found') : 0;
}
