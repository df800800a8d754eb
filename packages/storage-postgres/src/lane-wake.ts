import type { Transaction } from './database.ts';
import { integer } from './row.ts';

/** Rows of one statement at most. */
const BATCH_MAX = 1000;

/**
 * Tells lanes of what was queued in them. One that is locked is left for the next claim, so that nobody waits here: who
 * holds it may not have seen what was queued.
 */
export async function wakeLanes({ get }: Transaction): Promise<void> {
  for (;;) {
    const row = await get(WAKE, BATCH_MAX);
    if (!row || integer(row, 'woken') < BATCH_MAX) return;
  }
}

/** A lane that is gone needs no waking: nothing is open there. */
const WAKE = `
  WITH entry AS MATERIALIZED (
    SELECT id, endpoint_id FROM trunkline.wake ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
  ), lane AS MATERIALIZED (
    SELECT endpoint_id FROM trunkline.lanes
    WHERE endpoint_id IN (SELECT endpoint_id FROM entry)
    FOR UPDATE SKIP LOCKED
  ), woken AS (
    DELETE FROM trunkline.wake USING entry
    WHERE wake.id = entry.id AND (
      entry.endpoint_id IN (SELECT endpoint_id FROM lane)
      OR NOT EXISTS (SELECT 1 FROM trunkline.lanes WHERE lanes.endpoint_id = entry.endpoint_id)
    )
    RETURNING wake.endpoint_id, wake.due_at
  ), first AS (
    SELECT endpoint_id, min(due_at) AS due_at FROM woken GROUP BY endpoint_id
  ), changed AS (
    UPDATE trunkline.lanes
    SET wake_at = LEAST(wake_at, GREATEST(ready_from, first.due_at))
    FROM first
    WHERE lanes.endpoint_id = first.endpoint_id AND NOT lanes.is_full
  )
  SELECT count(*) AS woken FROM woken`;
