import { deliveryIdsOf } from '@trunkline/storage-kit';
import type { Database } from '../database/database.ts';
import { removeFromLane } from '../deliveries/lane-claims.ts';
import { text } from '../rows/row.ts';

/** Deletes an event with its places in queues, its deliveries and their attempts. Returns whether the event existed. */
export function deleteEvent(database: Database, workspaceId: string, id: string): boolean {
  const isStored = database.get(FIND, id, workspaceId) !== undefined;
  database.run('DELETE FROM event_log WHERE workspace_id = ? AND id = ?', workspaceId, id);
  if (!isStored) return false;
  deleteDeliveriesOf(database, id);
  database.run('DELETE FROM queued_events WHERE event_id = ?', id);
  database.run('DELETE FROM events WHERE id = ?', id);
  database.run('DELETE FROM event_traces WHERE event_id = ?', id);
  return true;
}

const FIND = 'SELECT 1 FROM events WHERE id = ? AND workspace_id = ?';

function deleteDeliveriesOf(database: Database, eventId: string): void {
  const { first, last } = deliveryIdsOf(eventId, 0);
  for (const row of database.all(DELIVERIES, first, last, eventId))
    deleteDelivery(database, { id: text(row, 'id'), endpointId: text(row, 'webhook_id') });
}

// Walks the primary key, because an index by event would have to be written with every delivery.
const DELIVERIES = `
  SELECT id, webhook_id FROM deliveries WHERE id >= ? AND id <= ? AND +event_id = ? ORDER BY id`;

export function deleteDelivery(
  database: Database,
  { id, endpointId }: { readonly id: string; readonly endpointId: string },
): void {
  removeFromLane(database, endpointId, id);
  database.run('DELETE FROM attempts WHERE delivery_id = ?', id);
  database.run('DELETE FROM deliveries WHERE id = ?', id);
}
