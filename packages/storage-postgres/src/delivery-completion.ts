import { endedBy, healthAfter, isOpen } from '@trunkline/core/spi/storage';
import type { ClosingReason, Completion, Delivery, EndpointHealth } from '@trunkline/core/spi/storage';
import { columnArrays, countOf, sentRows } from './column-arrays.ts';
import type { RowOf } from './column-arrays.ts';
import type { Transaction } from './database.ts';
import {
  ATTEMPT,
  attemptColumns,
  outcomeColumns,
  SETTLE,
  SETTLE_COUNT,
  settleValues,
} from './delivery-row.ts';
import { HEALTH, healthColumns } from './endpoint-row.ts';
import { LOCK_LANES, opening } from './lane.ts';
import { entities, integer, integerOrNull, word } from './row.ts';
import type { Row } from './row.ts';
import { uuidToFind } from './uuid.ts';

/** A completion with the time at which it was reported. */
export interface Report {
  readonly completion: Completion;
  readonly now: number;
}

/** Writes what came of attempts, in order, by two statements for all of them. Answers for each whether it was written. */
export async function completeAll(
  transaction: Transaction,
  reports: readonly Report[],
): Promise<readonly boolean[]> {
  const { ended, health } = await endClaims(transaction, reports);
  if (ended.length > 0) {
    const row = await transaction.get(WRITE, ...valuesOf(ended, health));
    const wakeAt = row ? integerOrNull(row, 'wake_at') : null;
    const now = Math.max(...reports.map((report) => report.now));
    // What waited for a slot can be claimed now.
    if (wakeAt !== null && wakeAt <= now) transaction.announce({ topic: 'deliveries' });
  }
  const written = new Set(ended.map(({ report }) => report));
  return reports.map((report) => written.has(report));
}

/** A claim that has ended with a report, and what is to be written. */
interface Ended {
  readonly report: Report;
  /** The uuids of the delivery and of its endpoint. */
  readonly delivery: string;
  readonly endpoint: string;
  readonly generation: number;
  /** The delivery as it is to be, whatever has closed it meanwhile. */
  readonly written: Delivery;
}

interface EndedClaims {
  readonly ended: readonly Ended[];
  /** The health of the endpoints, by their uuids, without those that are gone. Nobody else writes it before this transaction ends. */
  readonly health: ReadonlyMap<string, EndpointHealth>;
}

async function endClaims(transaction: Transaction, reports: readonly Report[]): Promise<EndedClaims> {
  const claims = reports.map(({ completion }) => ({
    endpoint_id: uuidToFind('wh', completion.delivery.webhookId),
    delivery_id: uuidToFind('whd', completion.delivery.id),
    token: completion.token,
  }));
  const endpoints = new Set(claims.map(({ endpoint_id }) => endpoint_id));
  const rows = await transaction.all(END_CLAIMS, [...endpoints], ...columnArrays(CLAIM, claims));
  const byDelivery = new Map<unknown, Row>();
  const byEndpoint = new Map<string, Row>();
  for (const row of rows) {
    if (typeof row['id'] === 'string') byEndpoint.set(row['id'], row);
    else byDelivery.set(row['delivery_id'], row);
  }
  const ended = reports.flatMap((report, index) => {
    const { endpoint_id: endpoint, delivery_id: delivery } = claims[index] ?? {};
    const row = byDelivery.get(delivery);
    if (!endpoint || !delivery || !row || integer(row, 'token') !== report.completion.token) return [];
    // Reported twice, it counts once.
    byDelivery.delete(delivery);
    const generation = integer(row, 'generation');
    return [{ report, endpoint, delivery, generation, written: report.completion.delivery }];
  });
  const isClosed = ({ endpoint, generation }: Ended): boolean =>
    byEndpoint.get(endpoint)?.['generation'] !== generation;
  return {
    ended: await closedMeanwhile(transaction, ended, isClosed),
    health: new Map(Array.from(byEndpoint, ([uuid, row]) => [uuid, entities.endpointHealth.read(row)])),
  };
}

const CLAIM = { endpoint_id: 'uuid', delivery_id: 'uuid', token: 'bigint' } as const;

/**
 * The claims that end, and the endpoints. The order of all who lock: see `lockLanes`; the lanes are counted before the
 * first claim or endpoint is looked at. What was seen before the locks were there does no harm: a claim that was taken
 * back meanwhile is deleted already, and endpoints are read as they were locked. Relies on the primary key of `claims`.
 */
const END_CLAIMS = `
  WITH lane AS MATERIALIZED (${LOCK_LANES}),
  ended AS (
    DELETE FROM trunkline.claims
    USING ${sentRows(CLAIM, 'report', 2)}
    WHERE claims.endpoint_id = report.endpoint_id AND claims.delivery_id = report.delivery_id
      AND claims.token = report.token AND (SELECT count(*) FROM lane) >= 0
    RETURNING claims.generation, claims.delivery_id, claims.token
  ), endpoint AS MATERIALIZED (
    SELECT id, generation, last_delivery, last_success_at, failing_since, exhausted, warned_at
    FROM trunkline.endpoints
    WHERE id = ANY ($1::uuid[]) AND (SELECT count(*) FROM lane) >= 0
    ORDER BY id
    FOR NO KEY UPDATE
  )
  SELECT endpoint.*, NULL::uuid AS delivery_id, NULL::bigint AS token FROM endpoint
  UNION ALL
  SELECT NULL, generation, NULL, NULL, NULL, NULL, NULL, delivery_id, token FROM ended`;

/** What an endpoint's cancellation has ended while it was claimed is written as that. Its generation may have something to sweep again. */
async function closedMeanwhile(
  transaction: Transaction,
  ended: readonly Ended[],
  isClosed: (one: Ended) => boolean,
): Promise<readonly Ended[]> {
  const closed = ended.filter(isClosed);
  if (closed.length === 0) return ended;
  const generations = closed.map(({ endpoint, generation }) => ({ endpoint_id: endpoint, generation }));
  const rows = await transaction.all(CLOSED, ...columnArrays(GENERATION, generations));
  const reasons = new Map(
    rows.map((row) => [
      keyOf(String(row['endpoint_id']), integer(row, 'generation')),
      word<ClosingReason>(row, 'reason'),
    ]),
  );
  return ended.map((one) => {
    const reason = reasons.get(keyOf(one.endpoint, one.generation));
    return reason ? { ...one, written: endedBy(reason, one.written) } : one;
  });
}

function keyOf(endpoint: string, generation: number): string {
  return `${endpoint} ${generation}`;
}

const GENERATION = { endpoint_id: 'uuid', generation: 'integer' } as const;

const CLOSED = `
  UPDATE trunkline.closings SET to_sweep = true
  FROM ${sentRows(GENERATION, 'ended')}
  WHERE closings.endpoint_id = ended.endpoint_id AND closings.generation = ended.generation
  RETURNING closings.endpoint_id, closings.generation, reason`;

function valuesOf(ended: readonly Ended[], health: ReadonlyMap<string, EndpointHealth>): readonly string[] {
  const changed = new Map<string, EndpointHealth>();
  const reopened = new Map<string, number | null>();
  const due: RowOf<typeof DUE>[] = [];
  for (const { report, delivery, endpoint, generation, written } of ended) {
    const before = changed.get(endpoint) ?? health.get(endpoint);
    if (before) changed.set(endpoint, healthAfter(before, { ...report.completion, written }));
    const first = reopened.get(endpoint) ?? null;
    reopened.set(endpoint, first);
    if (!isOpen(written.status)) continue;
    const dueAt = written.nextRetryAt ?? report.now;
    due.push({ endpoint_id: endpoint, generation, due_at: dueAt, delivery_id: delivery });
    reopened.set(endpoint, Math.min(dueAt, first ?? dueAt));
  }
  const outcomes = ended.map(({ delivery, written, generation }) => ({
    id: delivery,
    ...outcomeColumns(written, generation),
  }));
  const attempts = ended.map(({ delivery, report }) => attemptColumns(delivery, report.completion.attempt));
  const endpoints = Array.from(changed, ([id, after]) => ({ id, ...healthColumns(after) }));
  const lanes = Array.from(reopened, ([endpoint_id, due_at]) => ({ endpoint_id, due_at }));
  return [
    ...settleValues(outcomes),
    ...columnArrays(ATTEMPT, attempts),
    ...columnArrays(DUE, due),
    ...columnArrays(HEALTH, endpoints),
    ...columnArrays(REOPENED, lanes),
  ];
}

const DUE = { endpoint_id: 'uuid', generation: 'integer', due_at: 'bigint', delivery_id: 'uuid' } as const;

const REOPENED = { endpoint_id: 'uuid', due_at: 'bigint' } as const;

const ATTEMPTS_FROM = SETTLE_COUNT + 1;
const DUE_FROM = ATTEMPTS_FROM + countOf(ATTEMPT);
const HEALTH_FROM = DUE_FROM + countOf(DUE);
const REOPENED_FROM = HEALTH_FROM + countOf(HEALTH);

/** Answers when the first of the lanes wakes. */
const WRITE = `
  WITH settled AS (${SETTLE}
  ), tried AS (
    INSERT INTO trunkline.attempts (${Object.keys(ATTEMPT).join(', ')})
    SELECT * FROM ${sentRows(ATTEMPT, 'attempt', ATTEMPTS_FROM)}
  ), queued AS (
    INSERT INTO trunkline.due (${Object.keys(DUE).join(', ')}, lost_claims)
    SELECT *, 0 FROM ${sentRows(DUE, 'again', DUE_FROM)}
  ), healthy AS (
    UPDATE trunkline.endpoints
    SET last_delivery = health.last_delivery, last_success_at = health.last_success_at,
      failing_since = health.failing_since, exhausted = health.exhausted, warned_at = health.warned_at
    FROM ${sentRows(HEALTH, 'health', HEALTH_FROM)}
    WHERE endpoints.id = health.id
  ), opened AS (${opening(sentRows(REOPENED, 'reopened', REOPENED_FROM))}
  )
  SELECT min(wake_at) AS wake_at FROM opened`;
