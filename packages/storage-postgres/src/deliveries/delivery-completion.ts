import { cancelledBy, healthAfter, isOpen } from '@trunkline/core/spi/storage';
import type { CancellationReason, Completion, Delivery, EndpointHealth } from '@trunkline/core/spi/storage';
import { columnArrays, countOf, manySentRows, sentRows } from '../rows/column-arrays.ts';
import type { Transaction } from '../database/database.ts';
import { ATTEMPT, attemptColumns, insertEnded, OUTCOME, outcomeColumns, setOutcome } from './delivery-row.ts';
import { HEALTH, healthColumns } from './endpoint-row.ts';
import { firstDue } from './lane.ts';
import { entities, integer, integerOrNull, word } from '../rows/row.ts';
import type { Row, Value } from '../rows/row.ts';
import { uuidToFind } from '../rows/uuid.ts';

/** A completion with the time at which it was reported. */
export interface Report {
  readonly completion: Completion;
  readonly now: number;
}

/**
 * Writes the outcomes of all attempts in order, with at most three statements, and commits. Returns for each attempt
 * whether it was written.
 */
export async function completeAll(
  transaction: Transaction,
  reports: readonly Report[],
): Promise<readonly boolean[]> {
  const claims = await endClaims(transaction, reports, { waits: true });
  if (claims.ended.length > 0) {
    const [wakeAt] = await transaction.last(() => writeEnded(transaction, claims));
    const now = Math.max(...reports.map((report) => report.now));
    // A slot was freed, so another delivery can be claimed.
    if (wakeAt !== null && wakeAt <= now) transaction.announce({ topic: 'deliveries' });
  }
  const written = new Set(claims.ended.map(({ report }) => report));
  return reports.map((report) => written.has(report));
}

/** Writes the outcomes. Returns when the first of their lanes wakes; null if none does. Sends one statement. */
export async function writeEnded(
  transaction: Transaction,
  { ended, health }: EndedClaims,
): Promise<number | null> {
  const row = await transaction.get(WRITE, ...valuesOf(ended, health));
  return row ? integerOrNull(row, 'wake_at') : null;
}

/** A claim that a report has ended, and the values to write. */
interface Ended {
  readonly report: Report;
  /** The uuids of the delivery and of its endpoint. */
  readonly delivery: string;
  readonly endpoint: string;
  readonly generation: number;
  /** The delivery to write: as reported, or cancelled if it was cancelled while claimed. */
  readonly written: Delivery;
}

export interface EndedClaims {
  readonly ended: readonly Ended[];
  /**
   * The health of the endpoints that still exist, by their uuids; their rows are locked until this transaction ends.
   */
  readonly health: ReadonlyMap<string, EndpointHealth>;
  /** Reports of endpoints that others have locked, or whose lanes they have locked. None if this waits for locks. */
  readonly busy: ReadonlySet<Report>;
}

/** Locks the lanes and endpoints of these reports, and finds the claims that the reports end. */
export async function endClaims(
  transaction: Transaction,
  reports: readonly Report[],
  { waits }: { readonly waits: boolean },
): Promise<EndedClaims> {
  const endpoints = reports.map(({ completion }) => uuidToFind('wh', completion.delivery.endpointId));
  const rows = await transaction.all(waits ? HELD : HELD_IF_FREE, [...new Set(endpoints)]);
  await transaction.begun();
  const byToken = new Map<unknown, Row>();
  const byEndpoint = new Map<string, Row>();
  for (const row of rows) {
    if (typeof row['id'] === 'string') byEndpoint.set(row['id'], row);
    else byToken.set(row['token'], row);
  }
  const busy = new Set<Report>();
  const ended = reports.flatMap((report, index) => {
    const { token, delivery: reported } = report.completion;
    const endpoint = endpoints[index];
    const delivery = uuidToFind('whd', reported.id);
    const row = byToken.get(token);
    const isDeleted = row?.['stored_id'] === null;
    if (!waits && !isDeleted && !byEndpoint.has(endpoint ?? '')) {
      busy.add(report);
      return [];
    }
    if (!endpoint || !delivery || row?.['delivery_id'] !== delivery || row['endpoint_id'] !== endpoint)
      return [];
    // A second report of the same claim is ignored.
    byToken.delete(token);
    return [{ report, endpoint, delivery, generation: integer(row, 'generation'), written: reported }];
  });
  const isClosed = ({ endpoint, generation }: Ended): boolean =>
    byEndpoint.get(endpoint)?.['generation'] !== generation;
  return {
    ended: await closedMeanwhile(transaction, ended, isClosed),
    health: new Map(Array.from(byEndpoint, ([uuid, row]) => [uuid, entities.endpointHealth.read(row)])),
    busy,
  };
}

/**
 * SQL that locks and reads the claims of these lanes, and their endpoints. All transactions lock lanes before endpoints
 * (see `lockLanes`). The condition on the endpoints enforces that order here. Lanes and endpoints are read in the state
 * in which they were locked.
 */
function held(locked: '' | 'SKIP LOCKED'): string {
  return `
  WITH lane AS MATERIALIZED (
    SELECT endpoint_id, claims,
      (SELECT id FROM trunkline.endpoints WHERE endpoints.id = lanes.endpoint_id) AS stored_id
    FROM trunkline.lanes WHERE endpoint_id = ANY ($1::uuid[])
    ORDER BY endpoint_id
    FOR UPDATE ${locked}
  ), endpoint AS MATERIALIZED (
    SELECT id, generation, last_delivery, last_success_at, failing_since, exhausted, warned_at
    FROM trunkline.endpoints
    WHERE id = ANY (ARRAY(SELECT endpoint_id FROM lane))
    ORDER BY id
    FOR NO KEY UPDATE ${locked}
  )
  SELECT endpoint.*, NULL::uuid AS endpoint_id, NULL::uuid AS stored_id, NULL::uuid AS delivery_id, NULL::bigint AS token
  FROM endpoint
  UNION ALL
  SELECT NULL, generation, NULL, NULL, NULL, NULL, NULL, endpoint_id, stored_id, delivery_id, token
  FROM lane CROSS JOIN LATERAL unnest(lane.claims)`;
}

const HELD = held('');
const HELD_IF_FREE = held('SKIP LOCKED');

/**
 * Turns the outcome of a delivery that was cancelled while claimed into a cancellation. Marks the delivery's generation
 * for another sweep.
 */
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
      word<CancellationReason>(row, 'reason'),
    ]),
  );
  return ended.map((one) => {
    const reason = reasons.get(keyOf(one.endpoint, one.generation));
    return reason ? { ...one, written: cancelledBy(reason, one.written) } : one;
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

function valuesOf(ended: readonly Ended[], health: ReadonlyMap<string, EndpointHealth>): readonly Value[] {
  const changed = new Map<string, EndpointHealth>();
  const lanes = new Map<string, { tokens: number[]; dueAt: number | null }>();
  const again: string[] = [];
  const over: string[] = [];
  const outcomes = ended.map(({ report, delivery, endpoint, written }) => {
    const { attempt, token } = report.completion;
    const before = changed.get(endpoint) ?? health.get(endpoint);
    if (before) changed.set(endpoint, healthAfter(before, { ...report.completion, written }));
    const dueAt = isOpen(written.status) ? (written.nextRetryAt ?? report.now) : null;
    (dueAt === null ? over : again).push(delivery);
    const lane = lanes.get(endpoint) ?? { tokens: [], dueAt: null };
    lane.tokens.push(token);
    if (dueAt !== null) lane.dueAt = Math.min(dueAt, lane.dueAt ?? dueAt);
    lanes.set(endpoint, lane);
    return { ...outcomeColumns(written), id: delivery, due_at: dueAt, ...attemptColumns(attempt) };
  });
  const endpoints = Array.from(changed, ([id, after]) => ({ id, ...healthColumns(after) }));
  const released = Array.from(lanes, ([endpoint_id, { tokens, dueAt }]) => ({
    endpoint_id,
    tokens: `{${tokens.join(',')}}`,
    due_at: dueAt,
  }));
  return [
    ...columnArrays(REPORT, outcomes),
    over,
    again,
    ...columnArrays(HEALTH, endpoints),
    ...columnArrays(RELEASED, released),
  ];
}

const REPORT = { ...OUTCOME, due_at: 'bigint', ...ATTEMPT } as const;

const RELEASED = { endpoint_id: 'uuid', tokens: 'text', due_at: 'bigint' } as const;

const OVER = `$${countOf(REPORT) + 1}`;
const AGAIN = `$${countOf(REPORT) + 2}`;
const HEALTH_FROM = countOf(REPORT) + 3;
const RELEASED_FROM = HEALTH_FROM + countOf(HEALTH);

const TRIED = Object.keys(ATTEMPT)
  .map((column) => `outcome.${column}`)
  .join(', ');

/** The first attempt is stored in the row of its delivery. */
const FIRST_ATTEMPT = `coalesce(
  open.first_attempt,
  CASE WHEN outcome.tried_number = 1 THEN ROW(${TRIED})::trunkline.attempt END
)`;

const IS_LEFT = 'claim.token <> ALL (released.tokens::bigint[])';

/**
 * Moves deliveries that have ended to the table `deliveries`, and queues the other deliveries again. Returns when the
 * first of the lanes wakes, not counting paused lanes. Reads queues and claims as they were before this statement, when
 * all these deliveries were claimed.
 */
const WRITE = `
  WITH report AS MATERIALIZED (
    SELECT * FROM ${manySentRows(REPORT, 'report')}
  ), open AS (
    DELETE FROM trunkline.open_deliveries WHERE id = ANY (${OVER}::uuid[]) RETURNING *
  ), ended AS (${insertEnded(FIRST_ATTEMPT)}
    FROM open JOIN report AS outcome ON outcome.id = open.id
  ), again AS (
    UPDATE trunkline.open_deliveries AS open
    SET ${setOutcome('outcome')}, first_attempt = ${FIRST_ATTEMPT}, due_at = outcome.due_at, lost_claims = 0
    FROM report AS outcome
    WHERE open.id = outcome.id AND open.id = ANY (${AGAIN}::uuid[])
  ), tried AS (
    INSERT INTO trunkline.attempts
    SELECT outcome.id, ${TRIED} FROM report AS outcome WHERE outcome.tried_number > 1
  ), healthy AS (
    UPDATE trunkline.endpoints
    SET last_delivery = health.last_delivery, last_success_at = health.last_success_at,
      failing_since = health.failing_since, exhausted = health.exhausted, warned_at = health.warned_at
    FROM ${sentRows(HEALTH, 'health', HEALTH_FROM)}
    WHERE endpoints.id = health.id
  ), released AS (
    UPDATE trunkline.lanes
    SET claims = ARRAY(SELECT claim FROM unnest(lanes.claims) AS claim WHERE ${IS_LEFT}),
      wake_at = LEAST(
        ${firstDue('true')},
        CASE WHEN released.due_at IS NOT NULL THEN GREATEST(lanes.ready_from, released.due_at) END,
        (SELECT min(expires_at) FROM unnest(lanes.claims) AS claim WHERE ${IS_LEFT})
      )
    FROM ${sentRows(RELEASED, 'released', RELEASED_FROM)}
    WHERE lanes.endpoint_id = released.endpoint_id
    RETURNING CASE WHEN NOT is_paused THEN wake_at END AS wake_at
  )
  SELECT min(wake_at) AS wake_at FROM released`;
