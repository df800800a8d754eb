import { endedBy, healthAfter, isOpen } from '@trunkline/core/spi/storage';
import type { ClosingReason, Completion, Delivery, EndpointHealth } from '@trunkline/core/spi/storage';
import { boundsOf } from './claimed-delivery.ts';
import type { Transaction } from './database.ts';
import { attemptColumns, outcomeColumns, settling } from './delivery-row.ts';
import { healthColumns, readHealth } from './endpoint-row.ts';
import { LOCK_LANES, openLanes } from './lane.ts';
import { id, integer, wordOrNull } from './row.ts';
import type { Row } from './row.ts';
import type { Value } from './statements.ts';
import { uuidOf, uuidToFind } from './uuid.ts';

/** A completion with the time at which it was reported. */
export interface Report {
  readonly completion: Completion;
  readonly now: number;
}

/** Writes what came of attempts, in order, by a few statements for all of them. Answers for each whether it was written. */
export async function completeAll(
  transaction: Transaction,
  reports: readonly Report[],
): Promise<readonly boolean[]> {
  const health = await lockReported(transaction, reports);
  const ended = await endClaims(transaction, reports);
  const endpoints = [...new Set(ended.map(({ endpoint }) => endpoint))];
  if (ended.length > 0) {
    await transaction.run(WRITE, ...valuesOf(ended, health));
    const wakeAt = await openLanes(transaction, endpoints);
    const now = Math.max(...reports.map((report) => report.now));
    // What waited for a slot can be claimed now.
    if (wakeAt !== null && wakeAt <= now) transaction.announce({ topic: 'deliveries' });
  }
  const written = new Set(ended.map(({ report }) => report));
  return reports.map((report) => written.has(report));
}

function endpointOf({ completion }: Report): string | null {
  return uuidToFind('wh', completion.delivery.webhookId);
}

/**
 * Takes the locks of the lanes and then of the endpoints, and reads the health of these, by their uuids, without those that
 * are gone. Nobody else writes it before this transaction ends.
 */
async function lockReported(
  { all }: Transaction,
  reports: readonly Report[],
): Promise<ReadonlyMap<string, EndpointHealth>> {
  const endpoints = new Set(reports.map(endpointOf).filter((uuid) => uuid !== null));
  const rows = await all(LOCK, [...endpoints]);
  return new Map(rows.map((row) => [String(row['id']), readHealth(row)]));
}

// The order of all who lock: see `lockLanes`. The lanes are counted before the first endpoint is looked at.
const LOCK = `
  WITH lane AS MATERIALIZED (${LOCK_LANES})
  SELECT id, last_delivery, last_success_at, failing_since, exhausted, warned_at
  FROM trunkline.endpoints
  WHERE id = ANY ($1::uuid[]) AND (SELECT count(*) FROM lane) >= 0
  ORDER BY id
  FOR NO KEY UPDATE`;

/** A claim that has ended with a report, and what is to be written. */
interface Ended {
  readonly report: Report;
  readonly endpoint: string;
  readonly generation: number;
  /** The delivery as it is to be, whatever has closed it meanwhile. */
  readonly written: Delivery;
}

async function endClaims(transaction: Transaction, reports: readonly Report[]): Promise<readonly Ended[]> {
  const rows = await transaction.all(
    END_CLAIMS,
    reports.map(endpointOf),
    reports.map(({ completion }) => uuidToFind('whd', completion.delivery.id)),
    reports.map(({ completion }) => completion.token),
  );
  const byDelivery = new Map(rows.map((row) => [id(row, 'delivery_id', 'whd'), row]));
  return reports.flatMap((report) => {
    const { delivery, token } = report.completion;
    const row = byDelivery.get(delivery.id);
    if (!row || integer(row, 'token') !== token) return [];
    // Reported twice, it counts once.
    byDelivery.delete(delivery.id);
    return [readEnded(report, row)];
  });
}

/** Relies on the primary key of `claims`. A closed generation may have something to sweep again. */
const END_CLAIMS = `
  WITH ended AS (
    DELETE FROM trunkline.claims
    USING unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS report (endpoint_id, delivery_id, token)
    WHERE claims.endpoint_id = report.endpoint_id AND claims.delivery_id = report.delivery_id
      AND claims.token = report.token
    RETURNING claims.endpoint_id, claims.generation, claims.delivery_id, claims.token
  ), closed AS (
    UPDATE trunkline.closings SET to_sweep = true FROM ended
    WHERE closings.endpoint_id = ended.endpoint_id AND closings.generation = ended.generation
  )
  SELECT ended.*, closings.reason FROM ended
  LEFT JOIN trunkline.closings
    ON closings.endpoint_id = ended.endpoint_id AND closings.generation = ended.generation`;

function readEnded(report: Report, row: Row): Ended {
  const { delivery } = report.completion;
  const reason = wordOrNull<ClosingReason>(row, 'reason');
  return {
    report,
    endpoint: uuidOf('wh', delivery.webhookId),
    generation: integer(row, 'generation'),
    written: reason ? endedBy(reason, delivery) : delivery,
  };
}

function valuesOf(ended: readonly Ended[], health: ReadonlyMap<string, EndpointHealth>): readonly Value[] {
  const changed = new Map<string, EndpointHealth>();
  for (const { report, endpoint, written } of ended) {
    const before = changed.get(endpoint) ?? health.get(endpoint);
    if (before) changed.set(endpoint, healthAfter(before, { ...report.completion, written }));
  }
  const outcomes = ended.map(({ written, generation }) => ({
    id: uuidOf('whd', written.id),
    ...outcomeColumns(written, generation),
  }));
  const attempts = ended.map(({ report, written }) => attemptColumns(written.id, report.completion.attempt));
  const due = ended.filter(({ written }) => isOpen(written.status)).map(dueColumns);
  const endpoints = Array.from(changed, ([uuid, after]) => ({ id: uuid, ...healthColumns(after) }));
  const uuids = ended.map(({ written }) => uuidOf('whd', written.id));
  const { first, last } = boundsOf(uuids);
  return [...[outcomes, attempts, due, endpoints].map((rows) => JSON.stringify(rows)), uuids, first, last];
}

function dueColumns({ report, endpoint, generation, written }: Ended) {
  return {
    endpoint_id: endpoint,
    generation,
    due_at: written.nextRetryAt ?? report.now,
    delivery_id: uuidOf('whd', written.id),
    lost_claims: 0,
  };
}

const WRITE = `
  WITH settled AS (
    ${settling('$1', '$5', ['$6', '$7'])}
  ), tried AS (
    INSERT INTO trunkline.attempts
    SELECT * FROM json_populate_recordset(NULL::trunkline.attempts, $2::text::json)
  ), queued AS (
    INSERT INTO trunkline.due SELECT * FROM json_populate_recordset(NULL::trunkline.due, $3::text::json)
  )
  UPDATE trunkline.endpoints
  SET last_delivery = health.last_delivery, last_success_at = health.last_success_at,
    failing_since = health.failing_since, exhausted = health.exhausted, warned_at = health.warned_at
  FROM json_populate_recordset(NULL::trunkline.endpoints, $4::text::json) AS health
  WHERE endpoints.id = health.id`;
