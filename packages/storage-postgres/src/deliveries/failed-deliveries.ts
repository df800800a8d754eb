import type { RetryRound } from '@trunkline/core/spi/storage';
import { earliestAttemptOf } from '@trunkline/storage-kit';
import { floorUuid } from '../database/partitions.ts';
import { entities, integerOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';

interface FailedDelivery {
  readonly uuid: string;
  readonly lastAttemptAt: number | null;
}

/**
 * The first `count` failed and exhausted deliveries of an endpoint: those never attempted, then those attempted longest
 * ago. Leaves out cancelled deliveries that are not swept yet. Relies on deliveries_to_retry, so that each query starts
 * at its first matching row.
 */
export async function failedDeliveries(
  { all }: Statements,
  endpoint: string,
  { since, count }: { readonly since: number; readonly count: number },
): Promise<readonly FailedDelivery[]> {
  const floor = floorUuid(since);
  const never = await all(failed('last_attempt_at IS NULL', count), endpoint, floor);
  const attempted = await all(
    failed('last_attempt_at >= $3', count),
    endpoint,
    floor,
    earliestAttemptOf(since),
  );
  return [...never, ...attempted].slice(0, count).map(readFailed);
}

/** The limit is part of the text, because for a parameter the planner expects a tenth of all rows. */
function failed(attempted: string, count: number): string {
  return `
    SELECT id, last_attempt_at FROM trunkline.deliveries
    WHERE webhook_id = $1 AND id >= $2::uuid AND status IN ('failed', 'exhausted') AND ${attempted}
    ORDER BY last_attempt_at, id
    LIMIT ${count}`;
}

function readFailed(row: Row): FailedDelivery {
  return { uuid: String(row['id']), lastAttemptAt: integerOrNull(row, 'last_attempt_at') };
}

/** The endpoint's round of retry calls; null if no round is in progress. */
export async function readRetryRound({ get }: Statements, endpoint: string): Promise<RetryRound | null> {
  const row = await get(READ_ROUND, endpoint);
  return row ? entities.retryRound.read(row) : null;
}

const READ_ROUND = `
  SELECT retry_round_began_at, retry_round_called_at FROM trunkline.lanes
  WHERE endpoint_id = $1 AND retry_round_began_at IS NOT NULL`;

export async function writeRetryRound(
  { run }: Statements,
  endpoint: string,
  round: RetryRound | null,
): Promise<void> {
  await run(WRITE_ROUND, endpoint, round?.beganAt ?? null, round?.calledAt ?? null);
}

const WRITE_ROUND = `
  UPDATE trunkline.lanes SET retry_round_began_at = $2::bigint, retry_round_called_at = $3
  WHERE endpoint_id = $1 AND (retry_round_began_at IS NOT NULL OR $2::bigint IS NOT NULL)`;
