import type { Transaction } from '../database/database.ts';
import { IS_FULL } from './lane.ts';
import { IN_TRANSACTION } from '../database/session.ts';
import { integer } from '../rows/row.ts';

/** The maximum number of rows of `wake` that one statement handles. */
const BATCH_MAX = 1000;

/**
 * Wakes lanes in which deliveries were queued. Does not wait for locked lanes. Their entries stay in `wake` for the
 * next claim, because the holder of the lock may not have seen the deliveries.
 */
export async function wakeLanes({ get }: Transaction): Promise<void> {
  for (;;) {
    const row = await get(WAKE, BATCH_MAX);
    if (!row || integer(row, 'woken') < BATCH_MAX) return;
  }
}

/**
 * The entry of a deleted lane is dropped, because nothing is open there. A lane that is already awake is locked but not
 * written, so that no transaction works in it without having seen the queued deliveries.
 */
const WAKE = `
  WITH entry AS MATERIALIZED (
    SELECT ctid AS place, endpoint_id FROM trunkline.wake WHERE ${IN_TRANSACTION}
    ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
  ), lane AS MATERIALIZED (
    SELECT endpoint_id FROM trunkline.lanes
    WHERE endpoint_id = ANY (ARRAY(SELECT endpoint_id FROM entry))
    FOR UPDATE SKIP LOCKED
  ), woken AS (
    DELETE FROM trunkline.wake WHERE ctid = ANY (ARRAY(
      SELECT place FROM entry
      WHERE endpoint_id IN (SELECT endpoint_id FROM lane)
        -- Looked up one by one: of an EXISTS the planner may make a table of all lanes.
        OR (SELECT endpoint_id FROM trunkline.lanes WHERE lanes.endpoint_id = entry.endpoint_id) IS NULL
    ))
    RETURNING endpoint_id, due_at
  ), first AS (
    SELECT endpoint_id, min(due_at) AS due_at FROM woken GROUP BY endpoint_id
  ), changed AS (
    UPDATE trunkline.lanes
    SET wake_at = LEAST(wake_at, GREATEST(ready_from, first.due_at))
    FROM first
    WHERE lanes.endpoint_id = first.endpoint_id AND NOT (${IS_FULL})
      AND (wake_at IS NULL OR wake_at > GREATEST(ready_from, first.due_at))
  )
  SELECT count(*) AS woken FROM woken`;
