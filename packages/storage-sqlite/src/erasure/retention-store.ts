import { floorId } from '@trunkline/core/spi/storage';
import type { RetentionStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { inSlices } from '../database/slices.ts';
import { deleteDelivery } from './event-deletion.ts';
import { deleteIdempotencyRecords } from '../messages/idempotency-log.ts';
import { text } from '../rows/row.ts';
import { sweepDeleted } from '../deliveries/subscription-store.ts';

export function retentionStore(connected: Connected): RetentionStore {
  return {
    deleteHistory: (before, limit) =>
      inSlices(limit, (rows) => {
        const { database, write } = connected();
        return write(() => deleteHistory(database, before, rows));
      }),
    deleteIdempotencyRecords: (before, limit) =>
      inSlices(limit, (rows) => {
        const { database, write } = connected();
        return write(() => deleteIdempotencyRecords(database, before, rows));
      }),
    deleteInstanceHistory: async (before, limit) => {
      const { database, write } = connected();
      return write(() => database.run(DELETE_HISTORY, floorId('hst', before), limit));
    },
  };
}

function deleteHistory(database: Database, before: number, most: number): number {
  const swept = sweepDeleted(database, most);
  const limit = most - swept;
  const deliveries = deleteDeliveries(database, floorId('whd', before), limit);
  const floor = floorId('evt', before);
  const queued = deleteQueuedEvents(database, floor, limit - deliveries);
  const events = deleteEvents(database, floor, limit - deliveries - queued);
  const deleted = deliveries + queued + events;
  return swept + deleted + database.run(DELETE_ENDPOINT_URLS, before, limit - deleted);
}

/** Relies on the primary key, because an id begins with the time of its creation. */
const DELETE_HISTORY = `
  DELETE FROM instance_history
  WHERE id IN (SELECT id FROM instance_history WHERE id < ? ORDER BY id LIMIT ?)`;

/**
 * Keeps the URLs of endpoints that still have deliveries. Relies on deleted_endpoints_by_age and deliveries_by_webhook.
 */
const DELETE_ENDPOINT_URLS = `
  DELETE FROM deleted_endpoints WHERE id IN (
    SELECT id FROM deleted_endpoints
    WHERE deleted_at < ? AND NOT EXISTS (SELECT 1 FROM deliveries WHERE webhook_id = deleted_endpoints.id)
    ORDER BY deleted_at LIMIT ?
  )`;

function deleteDeliveries(database: Database, floor: string, limit: number): number {
  const rows = database.all(
    'SELECT id, webhook_id FROM deliveries WHERE id < ? ORDER BY id LIMIT ?',
    floor,
    limit,
  );
  for (const row of rows) {
    deleteDelivery(database, { id: text(row, 'id'), endpointId: text(row, 'webhook_id') });
  }
  return rows.length;
}

/**
 * Deletes old events, including exhausted ones, from the queues of subscriptions. The primary key has the oldest events
 * first, because their ids begin with their time.
 */
function deleteQueuedEvents(database: Database, floor: string, limit: number): number {
  return database.run(
    `DELETE FROM queued_events WHERE (event_id, subscription_id) IN (
       SELECT event_id, subscription_id FROM queued_events WHERE event_id < ? ORDER BY event_id, subscription_id LIMIT ?
     )`,
    floor,
    limit,
  );
}

/** Deliveries and places in queues are as old as their event (`newDelivery`), and were deleted before this call. */
function deleteEvents(database: Database, floor: string, limit: number): number {
  const rows = database.all(
    'SELECT id, workspace_id FROM events WHERE id < ? ORDER BY id LIMIT ?',
    floor,
    limit,
  );
  for (const row of rows) {
    const id = text(row, 'id');
    database.run('DELETE FROM events WHERE id = ?', id);
    database.run('DELETE FROM event_traces WHERE event_id = ?', id);
    database.run('DELETE FROM event_log WHERE workspace_id = ? AND id = ?', text(row, 'workspace_id'), id);
  }
  return rows.length;
}
