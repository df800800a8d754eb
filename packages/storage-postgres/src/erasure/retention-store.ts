import type { RetentionStore } from '@trunkline/core/spi/storage';
import type { Connected, Database, Transaction } from '../database/database.ts';
import { unqueueDeliveries } from './event-deletion.ts';
import { lockLanes } from '../deliveries/lane.ts';
import {
  ATTEMPTS,
  DAY_MS,
  DELIVERIES,
  dropPartition,
  EVENT_LOG,
  EVENTS,
  floorUuid,
  listPartitions,
  startOfDay,
} from '../database/partitions.ts';
import type { PartitionedTable } from '../database/partitions.ts';
import { sweepDeleted } from '../deliveries/subscription-store.ts';

export function retentionStore(connected: Connected): RetentionStore {
  return {
    deleteHistory: async (before, limit) => {
      const swept = await sweepDeleted(connected(), limit);
      if (swept === limit) return limit;
      const deleted = swept + (await deleteDays(connected(), startOfDay(before), limit - swept));
      return deleted + (await connected().run(DELETE_ENDPOINT_URLS, before, limit - deleted));
    },
    deleteIdempotencyRecords: async (before, limit) => connected().run(DELETE_RECORDS, before, limit),
    deleteInstanceHistory: async (before, limit) =>
      connected().run(DELETE_INSTANCE_HISTORY, floorUuid(before), limit),
  };
}

/** Relies on idempotency_records_by_age. Keeps keys that were used again in the meantime. */
const DELETE_RECORDS = `
  DELETE FROM trunkline.idempotency_records
  WHERE created_at < $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM trunkline.idempotency_records WHERE created_at < $1 ORDER BY created_at LIMIT $2
  ))`;

/** Relies on the primary key, because an id begins with the time of its creation. */
const DELETE_INSTANCE_HISTORY = `
  DELETE FROM trunkline.instance_history WHERE id < $1::uuid AND id IN (
    SELECT id FROM trunkline.instance_history WHERE id < $1::uuid ORDER BY id LIMIT $2
  )`;

/**
 * Keeps the URLs of endpoints that still have deliveries. The lane of an endpoint exists while any of its deliveries is
 * open. Relies on deleted_endpoints_by_age and deliveries_by_webhook.
 */
const DELETE_ENDPOINT_URLS = `
  DELETE FROM trunkline.deleted_endpoints WHERE id = ANY (ARRAY(
    SELECT id FROM trunkline.deleted_endpoints
    WHERE deleted_at < $1
      AND NOT EXISTS (SELECT 1 FROM trunkline.lanes WHERE lanes.endpoint_id = deleted_endpoints.id)
      AND NOT EXISTS (SELECT 1 FROM trunkline.deliveries WHERE deliveries.webhook_id = deleted_endpoints.id)
    ORDER BY deleted_at LIMIT $2
  ))`;

/**
 * Deletes the days before `day`: first their open deliveries and queued events, then whole partitions, then rows that
 * came before their partition was created. The events of a day stay a day longer, because an event may have been
 * created before midnight and its delivery after midnight.
 */
async function deleteDays(database: Database, day: number, limit: number): Promise<number> {
  const floor = floorUuid(day);
  const eventFloor = floorUuid(day - DAY_MS);
  const unqueued = await database.transaction((transaction) => unqueue(transaction, floor, limit));
  if (unqueued > 0) return limit;
  const queued = await database.run(DELETE_QUEUED_EVENTS, floor, limit);
  if (queued === limit) return limit;
  await dropDays(database, ATTEMPTS, day);
  await dropDays(database, DELIVERIES, day);
  await dropDays(database, EVENTS, day - DAY_MS);
  await dropDays(database, EVENT_LOG, day - DAY_MS);
  const deliveries = await database.run(DELETE_DELIVERIES, floor, limit - queued);
  const rest = limit - queued - deliveries;
  await database.run(DELETE_FROM_LOG, eventFloor, limit);
  return queued + deliveries + (await database.run(DELETE_EVENTS, eventFloor, rest));
}

/** Drops old days until a reader is in the way; the next call drops the rest. */
async function dropDays(database: Database, table: PartitionedTable, end: number): Promise<void> {
  for (const day of await listPartitions(database, table)) {
    if (day >= end || !(await dropPartition(database, { table, day }))) return;
  }
}

/** Takes open deliveries older than `floor`, queued or claimed, out of their lanes. Returns how many. */
async function unqueue(transaction: Transaction, floor: string, limit: number): Promise<number> {
  const rows = await transaction.all(OPEN, floor, limit);
  if (rows.length === 0) return 0;
  const endpoints = [...new Set(rows.map((row) => String(row['webhook_id'])))];
  const uuids = rows.map((row) => String(row['id']));
  await lockLanes(transaction, endpoints);
  await unqueueDeliveries(transaction, endpoints, uuids);
  // Attempts outside the default partition are dropped with their day.
  await transaction.run('DELETE FROM trunkline.attempts_default WHERE delivery_id = ANY ($1::uuid[])', uuids);
  return rows.length;
}

const OPEN = 'SELECT webhook_id, id FROM trunkline.open_deliveries WHERE id < $1 ORDER BY id LIMIT $2';

/**
 * Deletes old events, including exhausted ones, from the queues of subscriptions. Locks rows in the order of the
 * primary key, as completions do.
 */
const DELETE_QUEUED_EVENTS = `
  WITH old AS MATERIALIZED (
    SELECT event_id, subscription_id FROM trunkline.queued_events
    WHERE event_id < $1::uuid
    ORDER BY event_id, subscription_id
    LIMIT $2
    FOR UPDATE
  )
  DELETE FROM trunkline.queued_events USING old
  WHERE queued_events.event_id = old.event_id AND queued_events.subscription_id = old.subscription_id`;

const DELETE_DELIVERIES = `
  WITH old AS MATERIALIZED (
    SELECT id FROM trunkline.deliveries WHERE id < $1::uuid ORDER BY id LIMIT $2
  ), tried AS (
    DELETE FROM trunkline.attempts
    WHERE delivery_id IN (SELECT id FROM old) AND delivery_id < $1::uuid
  )
  DELETE FROM trunkline.deliveries WHERE id IN (SELECT id FROM old) AND id < $1::uuid`;

/** Deletes rows that came before the partition of their day was created. */
const DELETE_FROM_LOG = `
  DELETE FROM trunkline.event_log_default WHERE id IN (
    SELECT id FROM trunkline.event_log_default WHERE id < $1::uuid ORDER BY id LIMIT $2
  )`;

const DELETE_EVENTS = `
  DELETE FROM trunkline.events WHERE id < $1::uuid AND id IN (
    SELECT id FROM trunkline.events WHERE id < $1::uuid ORDER BY id LIMIT $2
  )`;
