import { floorId } from '@trunkline/core/spi/storage';
import type { RetryRound } from '@trunkline/core/spi/storage';
import { earliestAttemptOf } from '@trunkline/storage-kit';
import type { Database } from '../database/database.ts';
import { entities, integerOrNull, text } from '../rows/row.ts';

interface FailedDelivery {
  readonly id: string;
  readonly lastAttemptAt: number | null;
}

/**
 * The first `count` failed and exhausted deliveries of an endpoint: those never attempted, then those attempted longest
 * ago. Leaves out cancelled deliveries that are not swept yet. Relies on deliveries_to_retry, so that each query starts
 * at its first matching row.
 */
export function failedDeliveries(
  database: Database,
  endpointId: string,
  { since, count }: { readonly since: number; readonly count: number },
): readonly FailedDelivery[] {
  const floor = floorId('whd', since);
  const never = database.all(NEVER_ATTEMPTED, endpointId, floor, count);
  const from = earliestAttemptOf(since);
  const attempted = database.all(ATTEMPTED, endpointId, from, floor, count - never.length);
  return [...never, ...attempted].map((row) => ({
    id: text(row, 'id'),
    lastAttemptAt: integerOrNull(row, 'last_attempt_at'),
  }));
}

const NEVER_ATTEMPTED = `
  SELECT id, last_attempt_at FROM deliveries
  WHERE webhook_id = ? AND status IN ('failed', 'exhausted') AND last_attempt_at IS NULL AND id >= ?
  ORDER BY id
  LIMIT ?`;

const ATTEMPTED = `
  SELECT id, last_attempt_at FROM deliveries
  WHERE webhook_id = ? AND status IN ('failed', 'exhausted') AND last_attempt_at >= ? AND id >= ?
  ORDER BY last_attempt_at, id
  LIMIT ?`;

/** The endpoint's last unfinished round of retry calls, which may have been abandoned; null if there is none. */
export function readRetryRound(database: Database, endpointId: string): RetryRound | null {
  const row = database.get('SELECT * FROM lanes WHERE endpoint_id = ?', endpointId);
  return row ? entities.retryRound.read(row) : null;
}

export function writeRetryRound(database: Database, endpointId: string, round: RetryRound | null): void {
  database.run(
    'UPDATE lanes SET retry_round_began_at = ?, retry_round_called_at = ? WHERE endpoint_id = ?',
    round?.beganAt ?? null,
    round?.calledAt ?? null,
    endpointId,
  );
}
