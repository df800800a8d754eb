import type { CancellationReason } from '@trunkline/core/spi/storage';
import type { Database } from '../database/database.ts';
import { laneGeneration } from './lane.ts';
import { integer, text, word } from '../rows/row.ts';

/**
 * Cancels all open deliveries of an endpoint at a cost that does not depend on their number. Until they are swept, they
 * stay in a closed generation, which no claim reads.
 */
export function closeLane(database: Database, endpointId: string, reason: CancellationReason): void {
  const generation = laneGeneration(database, endpointId);
  if (generation === null) return;
  if (!isQueued(database, endpointId, generation) && !isClaimed(database, endpointId, generation)) return;
  database.insert('closings', { endpoint_id: endpointId, generation, reason, to_sweep: 1 });
  database.run(
    'UPDATE lanes SET generation = ?, wake_at = NULL WHERE endpoint_id = ?',
    generation + 1,
    endpointId,
  );
}

/** The reason why the deliveries of this generation were cancelled; null if they were not. */
export function cancellationOf(
  database: Database,
  endpointId: string,
  generation: number,
): CancellationReason | null {
  const row = database.get(
    'SELECT reason FROM closings WHERE endpoint_id = ? AND generation = ?',
    endpointId,
    generation,
  );
  return row ? word(row, 'reason') : null;
}

/** The closed generations of an endpoint in which some outcomes may not be written yet. */
export function closedGenerations(database: Database, endpointId: string): readonly number[] {
  return database
    .all('SELECT generation FROM closings WHERE endpoint_id = ?', endpointId)
    .map((row) => integer(row, 'generation'));
}

/**
 * Takes at most `limit` cancelled deliveries out of the queues; with `endpointId`, only deliveries of that endpoint.
 * `end` writes the outcome of each delivery. Returns the number of deliveries.
 */
export function sweepCancellations(
  database: Database,
  { limit, endpointId: only }: { readonly limit: number; readonly endpointId?: string },
  end: (deliveryId: string, reason: CancellationReason) => void,
): number {
  let swept = 0;
  while (swept < limit) {
    const cancellation = only === undefined ? database.get(TO_SWEEP) : database.get(TO_SWEEP_AT, only);
    if (!cancellation) break;
    const endpointId = text(cancellation, 'endpoint_id');
    const generation = integer(cancellation, 'generation');
    const entries = database.all(
      'SELECT delivery_id FROM due WHERE endpoint_id = ? AND generation = ? LIMIT ?',
      endpointId,
      generation,
      limit - swept,
    );
    for (const entry of entries) {
      database.run('DELETE FROM due WHERE delivery_id = ?', text(entry, 'delivery_id'));
      end(text(entry, 'delivery_id'), word(cancellation, 'reason'));
    }
    swept += entries.length;
    if (swept < limit) finishSweep(database, endpointId, generation);
  }
  return swept;
}

/** The next cancellation to sweep. Relies on closings_to_sweep. */
export const TO_SWEEP = 'SELECT * FROM closings WHERE to_sweep = 1 ORDER BY endpoint_id, generation LIMIT 1';

const TO_SWEEP_AT =
  'SELECT * FROM closings WHERE endpoint_id = ? AND to_sweep = 1 ORDER BY generation LIMIT 1';

/** Marks a generation for another sweep, because a claim in it has ended and its delivery may be queued again. */
export function sweepAgain(database: Database, endpointId: string, generation: number): void {
  database.run(
    'UPDATE closings SET to_sweep = 1 WHERE endpoint_id = ? AND generation = ?',
    endpointId,
    generation,
  );
}

/** Ends the sweep of a generation whose queue is empty. */
function finishSweep(database: Database, endpointId: string, generation: number): void {
  if (isClaimed(database, endpointId, generation)) {
    // The cancellation is not swept again until a claim ends, so that sweeps do not read it needlessly.
    database.run(
      'UPDATE closings SET to_sweep = 0 WHERE endpoint_id = ? AND generation = ?',
      endpointId,
      generation,
    );
    return;
  }
  database.run('DELETE FROM closings WHERE endpoint_id = ? AND generation = ?', endpointId, generation);
  dropLane(database, endpointId);
}

/** Deletes the lane if its endpoint is deleted and has no cancellations left. */
export function dropLane(database: Database, endpointId: string): void {
  database.run(
    `DELETE FROM lanes
     WHERE endpoint_id = ?
       AND NOT EXISTS (SELECT 1 FROM endpoints WHERE id = lanes.endpoint_id)
       AND NOT EXISTS (SELECT 1 FROM closings WHERE endpoint_id = lanes.endpoint_id)`,
    endpointId,
  );
}

function isQueued(database: Database, endpointId: string, generation: number): boolean {
  const row = database.get(
    'SELECT 1 FROM due WHERE endpoint_id = ? AND generation = ? LIMIT 1',
    endpointId,
    generation,
  );
  return row !== undefined;
}

function isClaimed(database: Database, endpointId: string, generation: number): boolean {
  const row = database.get(
    'SELECT 1 FROM claims WHERE endpoint_id = ? AND generation = ? LIMIT 1',
    endpointId,
    generation,
  );
  return row !== undefined;
}
