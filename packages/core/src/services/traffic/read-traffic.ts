import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { QUARTER_MS, startOf, sumOf, TRAFFIC_KEPT_MS } from '../../domain/traffic/traffic.ts';
import type { TrafficKind, TrafficRow, TrafficSeries, TrafficStep } from '../../domain/traffic/traffic.ts';
import { invalid, readInput } from '../../inputs/read-input.ts';
import {
  TRAFFIC_OBJECTS_MAX,
  trafficPeriodQuery,
  trafficQuery,
  webhookTrafficQuery,
} from '../../inputs/traffic.ts';
import type { CheckedTrafficPeriod } from '../../inputs/traffic.ts';
import type { ServiceContext } from '../context.ts';
import { findEndpoint, noEndpoint } from '../endpoints.ts';
import { findInstance } from '../instances/instances.ts';

const STEP_MS: Readonly<Record<TrafficStep, number>> = {
  quarter: QUARTER_MS,
  hour: 4 * QUARTER_MS,
  day: 96 * QUARTER_MS,
};
const DAY_MS = STEP_MS.day;
/** Longer than counts are kept, so that a request for 30 days until now may take a while to arrive. */
const RANGE_MAX_MS = 31 * DAY_MS;
/** The maximum number of stored quarters that one call reads: those of a hundred objects for a day, or of three for a month. */
const QUARTERS_MAX = 10_000;

/** The traffic of some instances, in the order of the query; or of the whole workspace, under the id null. */
export async function readTraffic(
  context: ServiceContext,
  workspaceId: string,
  query: unknown,
): Promise<Result<ReadonlyMap<string | null, TrafficSeries>>> {
  const read = readInput(trafficQuery, query);
  if (!read.ok) return read;
  const { instance: ids, ...period } = read.value;
  if (!ids) {
    const series = await readSeries(context, workspaceId, { kind: 'workspace', ids: [workspaceId] }, period);
    return series.ok ? ok(new Map([...series.value].map(([, one]) => [null, one]))) : series;
  }
  const found = await Promise.all(ids.map((id) => findInstance(context, workspaceId, id)));
  const missing = found.find((one) => !one.ok);
  return missing ?? readSeries(context, workspaceId, { kind: 'instance', ids }, period);
}

/** The traffic of some webhooks, in the order of the query; or of the newest ones. */
export async function readWebhookTraffic(
  context: ServiceContext,
  workspaceId: string,
  query: unknown,
): Promise<Result<ReadonlyMap<string, TrafficSeries>>> {
  const read = readInput(webhookTrafficQuery, query);
  if (!read.ok) return read;
  const { webhook, ...period } = read.value;
  if (!webhook) {
    const newest = (await context.storage.endpoints.list(workspaceId)).slice(0, TRAFFIC_OBJECTS_MAX);
    return readSeries(context, workspaceId, { kind: 'webhook', ids: newest.map(({ id }) => id) }, period);
  }
  const found = await Promise.all(webhook.map((id) => findEndpoint(context, workspaceId, id)));
  const missing = found.find((one) => !one.ok);
  return missing ?? readSeries(context, workspaceId, { kind: 'webhook', ids: webhook }, period);
}

export async function readTrafficOfWebhook(
  context: ServiceContext,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  query: unknown,
): Promise<Result<TrafficSeries>> {
  const read = readInput(trafficPeriodQuery, query);
  if (!read.ok) return read;
  const found = await findEndpoint(context, workspaceId, id);
  if (!found.ok) return found;
  const all = await readSeries(context, workspaceId, { kind: 'webhook', ids: [id] }, read.value);
  if (!all.ok) return all;
  const series = all.value.get(id);
  return series ? ok(series) : noEndpoint();
}

async function readSeries(
  { storage, clock }: ServiceContext,
  workspaceId: string,
  { kind, ids }: { readonly kind: TrafficKind; readonly ids: readonly string[] },
  period: CheckedTrafficPeriod,
): Promise<Result<ReadonlyMap<string, TrafficSeries>>> {
  const now = clock.now();
  const range = rangeOf(period, { now, objects: ids.length });
  if (!range.ok) return range;
  const { from, to } = range.value;
  const since = Math.max(from, startOf(now - TRAFFIC_KEPT_MS, QUARTER_MS));
  const rows =
    since < to && ids.length > 0
      ? await storage.traffic.read(workspaceId, { kind, ids, from: since, to })
      : [];
  const rowsById = Map.groupBy(rows, ({ id }) => id);
  return ok(new Map(ids.map((id) => [id, seriesOf(rowsById.get(id) ?? [], range.value)])));
}

type Range = Pick<TrafficSeries, 'from' | 'to' | 'step'>;

/** The requested range, extended to whole periods. */
function rangeOf(
  { from: first, to: end, step }: CheckedTrafficPeriod,
  { now, objects }: { readonly now: number; readonly objects: number },
): Result<Range> {
  const to = end ?? now;
  const from = first ?? to - DAY_MS;
  if (from >= to) return invalid({ from: ['Must be before to, which is now by default.'] });
  if (to - from > RANGE_MAX_MS) return invalid({ from: ['Must be at most 31 days before to.'] });
  const length = STEP_MS[step];
  const range = { from: startOf(from, length), to: startOf(to - 1, length) + length, step };
  if (((range.to - range.from) / QUARTER_MS) * objects > QUARTERS_MAX)
    return invalid({ from: ['Is too early for so many ids: choose a shorter time, or fewer ids.'] });
  return ok(range);
}

/** Adds the rows of one object by period. The rows are oldest first. */
function seriesOf(rows: readonly TrafficRow[], range: Range): TrafficSeries {
  const byStart = Map.groupBy(rows, ({ quarter }) => startOf(quarter, STEP_MS[range.step]));
  const periods = [...byStart].map(([start, some]) => ({ start, counts: sumOf(some) }));
  return { ...range, total: sumOf(periods), periods };
}
