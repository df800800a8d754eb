import type { SteppedMigration } from './stepped-migration.ts';

const ROWS = 2_000;

/** Moves open deliveries from among those that have ended, in the order of their ids, with their places in the queues. */
export const movedOpenDeliveries: SteppedMigration = {
  task: 'moving open deliveries',
  async step(ask) {
    const { first, last, rows } = await ask(NEXT, ROWS);
    const count = Number(rows);
    if (count > 0) {
      const bounds = [String(first), String(last)];
      await ask(COPY, ...bounds);
      await ask(REMOVE, ...bounds);
      await ask(
        'DELETE FROM trunkline.former_due WHERE delivery_id BETWEEN $1::uuid AND $2::uuid',
        ...bounds,
      );
    }
    if (count === ROWS) return { isComplete: false, rows: count };
    await ask('DROP TABLE trunkline.former_due');
    return { isComplete: true, rows: count };
  },
};

const NEXT = `
  SELECT ids[1] AS first, ids[cardinality(ids)] AS last, cardinality(ids) AS rows
  FROM (
    SELECT ARRAY(SELECT delivery_id FROM trunkline.former_due ORDER BY delivery_id LIMIT $1) AS ids
  ) AS next`;

/** The bounds leave out the partitions of other days. */
const COPY = `
  INSERT INTO trunkline.open_deliveries (
    id, workspace_id, webhook_id, event_id, event_type, event_occurred_at, generation, status, attempts, max_attempts,
    manual, next_retry_at, response_status, error_code, last_attempt_at, created_at, due_at, lost_claims
  )
  SELECT
    id, workspace_id, webhook_id, event_id, event_type, event_occurred_at, queued.generation, status, attempts,
    max_attempts, manual, next_retry_at, response_status, error_code, last_attempt_at, created_at, due_at, lost_claims
  FROM trunkline.former_due AS queued
  CROSS JOIN LATERAL (
    SELECT * FROM trunkline.deliveries
    WHERE id = queued.delivery_id AND id BETWEEN $1::uuid AND $2::uuid
    LIMIT 1
  ) AS delivery
  WHERE queued.delivery_id BETWEEN $1::uuid AND $2::uuid`;

const REMOVE = `
  DELETE FROM trunkline.deliveries
  WHERE id BETWEEN $1::uuid AND $2::uuid AND id = ANY (ARRAY(
    SELECT delivery_id FROM trunkline.former_due WHERE delivery_id BETWEEN $1::uuid AND $2::uuid
  ))`;
