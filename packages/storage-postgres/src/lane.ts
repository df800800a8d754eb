import type { Transaction } from './database.ts';
import { integerOrNull } from './row.ts';

// Who calls these holds the locks of the lanes.

/** Makes the lane of a new endpoint; paused where the work of its workspace is postponed. */
export async function addLane({ insert }: Transaction, endpoint: string, isPaused: boolean): Promise<void> {
  await insert('trunkline.lanes', {
    endpoint_id: endpoint,
    generation: FIRST_GENERATION,
    is_full: false,
    is_paused: isPaused,
    ready_from: 0,
  });
}

/** The lane of an endpoint that is being deleted: its workspace would no longer find it when it goes on. */
export async function resumeLane({ run }: Transaction, endpoint: string): Promise<void> {
  await run(RESUME, endpoint);
}

const RESUME = 'UPDATE trunkline.lanes SET is_paused = false WHERE endpoint_id = $1 AND is_paused';

/** Above 0, which is that of deliveries that have ended. */
export const FIRST_GENERATION = 1;

/**
 * Takes the locks of lanes, in the order in which everybody does who waits for more than one. They come before any lock
 * of endpoints, deliveries, queues or claims, and last as long as the transaction: statements after this one see what
 * those before have left.
 */
export async function lockLanes({ run }: Transaction, endpoints: readonly string[]): Promise<void> {
  await run(LOCK_LANES, endpoints);
}

/** The statement of `lockLanes`. */
export const LOCK_LANES = `
  SELECT 1 FROM trunkline.lanes WHERE endpoint_id = ANY ($1::uuid[]) ORDER BY endpoint_id FOR UPDATE`;

/** Works out anew when lanes wake, after something was queued in them or taken out. */
export async function refreshLanes({ run }: Transaction, endpoints: readonly string[]): Promise<void> {
  await run(REFRESH, endpoints);
}

/**
 * The same for lanes in which a claim has ended: what waited for a slot can be claimed. Answers the first time at which
 * one of them wakes; null where nothing is open there.
 */
export async function openLanes({ all }: Transaction, endpoints: readonly string[]): Promise<number | null> {
  const times = (await all(OPEN, endpoints)).map((row) => integerOrNull(row, 'wake_at') ?? Infinity);
  const first = Math.min(...times);
  return first === Infinity ? null : first;
}

/**
 * When a claim finds something in a lane: its first delivery, unless all slots are held, or its first claim that ends.
 * Relies on the primary keys of `due` and `claims`.
 */
export function wakeAt(isFull: string): string {
  return `LEAST(
    (SELECT GREATEST(lanes.ready_from, due.due_at) FROM trunkline.due
     WHERE NOT ${isFull} AND due.endpoint_id = lanes.endpoint_id AND due.generation = lanes.generation
     ORDER BY due.due_at, due.delivery_id
     LIMIT 1),
    (SELECT min(claims.expires_at) FROM trunkline.claims WHERE claims.endpoint_id = lanes.endpoint_id)
  )`;
}

const REFRESH = `
  UPDATE trunkline.lanes SET wake_at = ${wakeAt('lanes.is_full')} WHERE endpoint_id = ANY ($1::uuid[])`;

/**
 * An UPDATE that does so for the rows `reopened`, which have an `endpoint_id` and the `due_at` of what the same statement
 * queues there, if anything: it sees none of that.
 */
export function opening(reopened: string): string {
  return `
  UPDATE trunkline.lanes
  SET is_full = false, wake_at = LEAST(
    ${wakeAt('false')},
    CASE WHEN reopened.due_at IS NOT NULL THEN GREATEST(lanes.ready_from, reopened.due_at) END
  )
  FROM ${reopened}
  WHERE lanes.endpoint_id = reopened.endpoint_id
  RETURNING CASE WHEN NOT is_paused THEN wake_at END AS wake_at`;
}

const OPEN = opening('unnest($1::uuid[], NULL::bigint[]) AS reopened (endpoint_id, due_at)');
