import { FIRST_GENERATION } from '@trunkline/storage-kit';
import type { Database } from '../database/database.ts';
import { integer } from '../rows/row.ts';

export interface DueEntry {
  readonly endpointId: string;
  /** The generation of the lane in which the delivery is queued. */
  readonly generation: number;
  readonly deliveryId: string;
  readonly dueAt: number;
  readonly lostClaims: number;
}

/** Adds the lane of a new endpoint, paused if the work of its workspace is postponed. */
export function addLane(database: Database, endpointId: string, workspaceId: string): void {
  const postponed = database.get('SELECT 1 FROM workspaces WHERE id = ? AND is_postponed = 1', workspaceId);
  database.insert('lanes', {
    endpoint_id: endpointId,
    generation: FIRST_GENERATION,
    wake_at: null,
    is_full: 0,
    is_paused: Number(postponed !== undefined),
    ready_from: 0,
  });
}

/** Resumes the lane of an endpoint that is being deleted, because resuming the workspace would no longer find it. */
export function resumeLane(database: Database, endpointId: string): void {
  database.run('UPDATE lanes SET is_paused = 0 WHERE endpoint_id = ? AND is_paused = 1', endpointId);
}

/**
 * The generation in which deliveries are queued now; null once the endpoint is deleted and none of its deliveries is
 * open.
 */
export function laneGeneration(database: Database, endpointId: string): number | null {
  const row = database.get('SELECT generation FROM lanes WHERE endpoint_id = ?', endpointId);
  return row ? integer(row, 'generation') : null;
}

export function queueDelivery(database: Database, entry: DueEntry): void {
  const { endpointId, generation, deliveryId, dueAt, lostClaims } = entry;
  database.insert('due', {
    endpoint_id: endpointId,
    generation,
    due_at: dueAt,
    delivery_id: deliveryId,
    lost_claims: lostClaims,
  });
  // The lane need not be written if another delivery is due before this one.
  database.run(
    `UPDATE lanes SET wake_at = max(ready_from, ?)
     WHERE endpoint_id = ? AND generation = ? AND is_full = 0
       AND (wake_at IS NULL OR wake_at > max(ready_from, ?))`,
    dueAt,
    endpointId,
    generation,
    dueAt,
  );
}

export function unqueueDelivery(database: Database, endpointId: string, deliveryId: string): void {
  if (database.run('DELETE FROM due WHERE delivery_id = ?', deliveryId) > 0) wakeLane(database, endpointId);
}

/** Recomputes when a lane wakes, after its queue has changed. */
export function wakeLane(database: Database, endpointId: string): void {
  database.run(
    `UPDATE lanes SET wake_at = max(ready_from, ${FIRST_DUE_AT}) WHERE endpoint_id = ? AND is_full = 0`,
    endpointId,
  );
}

/** Notes that a slot is free, so that a waiting delivery can be claimed. */
export function openSlot(database: Database, endpointId: string): void {
  database.run(
    `UPDATE lanes SET is_full = 0, wake_at = max(ready_from, ${FIRST_DUE_AT}) WHERE endpoint_id = ? AND is_full = 1`,
    endpointId,
  );
}

/**
 * When the first delivery that a claim may take is due. Null if there is none, and then SQLite's `max` is null, too.
 */
export const FIRST_DUE_AT = `(
  SELECT due_at FROM due
  WHERE due.endpoint_id = lanes.endpoint_id AND due.generation = lanes.generation
  ORDER BY due_at
  LIMIT 1
)`;
