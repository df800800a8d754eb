import { FIRST_GENERATION } from '@trunkline/storage-kit';
import type { Transaction } from '../database/database.ts';

// The functions here that change existing lanes expect the caller to hold the locks of these lanes.

/** Creates the lane of a new endpoint, paused if the work of its workspace is postponed. */
export async function addLane(
  { insert }: Transaction,
  endpoint: string,
  { workspace, isPaused }: { readonly workspace: string; readonly isPaused: boolean },
): Promise<void> {
  await insert('trunkline.lanes', {
    endpoint_id: endpoint,
    workspace_id: workspace,
    generation: FIRST_GENERATION,
    is_paused: isPaused,
    ready_from: 0,
  });
}

/** Resumes the lane of an endpoint that is being deleted, because resuming the workspace would no longer find it. */
export async function resumeLane({ run }: Transaction, endpoint: string): Promise<void> {
  await run(RESUME, endpoint);
}

const RESUME = 'UPDATE trunkline.lanes SET is_paused = false WHERE endpoint_id = $1 AND is_paused';

/**
 * Locks lanes in the order that every transaction uses. These locks come before any lock of endpoints, deliveries or
 * queues, and last until the transaction ends. Later statements see what earlier holders of the locks have committed.
 */
export async function lockLanes({ run }: Transaction, endpoints: readonly string[]): Promise<void> {
  await run(LOCK_LANES, endpoints);
}

const LOCK_LANES = `
  SELECT 1 FROM trunkline.lanes WHERE endpoint_id = ANY ($1::uuid[]) ORDER BY endpoint_id FOR UPDATE`;

/** Recomputes when lanes wake, after deliveries were queued or taken out, or a claim has ended. */
export async function refreshLanes({ run }: Transaction, endpoints: readonly string[]): Promise<void> {
  await run(REFRESH, endpoints);
}

export const IS_FULL = 'cardinality(lanes.claims) >= lanes.slots';

/**
 * When a claim next finds work in a lane: when the first unclaimed delivery can be claimed (unless all slots are held),
 * or when the first claim expires.
 */
export function wakeAt(isFull: string): string {
  return `LEAST(${firstDue(`NOT (${isFull})`)}, (SELECT min(expires_at) FROM unnest(lanes.claims)))`;
}

/**
 * When the first unclaimed delivery of a lane can be claimed; null if `condition` is false or there is no such
 * delivery. Relies on open_deliveries_queue.
 */
export function firstDue(condition: string): string {
  return `(
    SELECT GREATEST(lanes.ready_from, queued.due_at) FROM trunkline.open_deliveries AS queued
    WHERE ${condition} AND queued.generation = lanes.generation AND queued.webhook_id = lanes.endpoint_id
      AND queued.id <> ALL (ARRAY(SELECT delivery_id FROM unnest(lanes.claims)))
    ORDER BY queued.due_at, queued.id
    LIMIT 1
  )`;
}

const REFRESH = `
  UPDATE trunkline.lanes SET wake_at = ${wakeAt(IS_FULL)} WHERE endpoint_id = ANY ($1::uuid[])`;

/** SQL that releases claims of the lanes `$1`. `isReleased` is a condition on a row `claim`. */
export function releasing(isReleased: string): string {
  return `
  UPDATE trunkline.lanes
  SET claims = ARRAY(SELECT claim FROM unnest(lanes.claims) AS claim WHERE NOT (${isReleased}))
  WHERE endpoint_id = ANY ($1::uuid[])`;
}
