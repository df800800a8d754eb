import type { Attempt } from '../delivery/delivery.ts';

/** Counts are kept for each quarter of an hour in UTC. */
export const QUARTER_MS: number = 15 * 60_000;
/** How long counts are kept. */
export const TRAFFIC_KEPT_MS: number = 30 * 24 * 60 * 60_000;

export const TRAFFIC_KINDS = ['instance', 'webhook', 'workspace'] as const;
/** The kinds of objects that have counts. */
export type TrafficKind = (typeof TRAFFIC_KINDS)[number];

/**
 * Counts by name; a count of 0 is left out. Messages have `received`, `sent`, `delivered` and `read`, attempts of
 * webhooks `succeeded`; both have `failed:CODE`, and `class:0` to `class:7` for classes of duration.
 */
export type TrafficCounts = Readonly<Record<string, number>>;

/** The counts of one object in one quarter. */
export interface TrafficRow {
  readonly kind: TrafficKind;
  /** The id of the instance, webhook or workspace. */
  readonly id: string;
  /** The beginning of the quarter; epoch milliseconds. */
  readonly quarter: number;
  readonly counts: TrafficCounts;
}

export const TRAFFIC_STEPS = ['quarter', 'hour', 'day'] as const;
/** The length of a period in which counts are added up: a quarter of an hour, an hour or a day, in UTC. */
export type TrafficStep = (typeof TRAFFIC_STEPS)[number];

/** The counts of one object over time. Times are epoch milliseconds. */
export interface TrafficSeries {
  /** The beginning of the first period. */
  readonly from: number;
  /** The end of the last period. */
  readonly to: number;
  readonly step: TrafficStep;
  /** All periods together. */
  readonly total: TrafficCounts;
  /** The periods that have counts, oldest first. */
  readonly periods: readonly { readonly start: number; readonly counts: TrafficCounts }[];
}

const FAILED = 'failed:';

export function failedCount(code: string): string {
  return FAILED + code;
}

/** The counts of failures, by their codes. */
export function failuresIn(counts: TrafficCounts): Readonly<Record<string, number>> {
  const names = Object.keys(counts).filter((name) => name.startsWith(FAILED));
  const failures: Record<string, number> = {};
  for (const name of names.toSorted()) failures[name.slice(FAILED.length)] = counts[name] ?? 0;
  return failures;
}

/** The class of a failed attempt: the code of its error, where HTTP errors are divided by their status. */
export function classOfFailure({
  errorCode,
  responseStatus,
}: Pick<Attempt, 'errorCode' | 'responseStatus'>): string | null {
  if (errorCode !== 'HTTP_ERROR' || responseStatus === null) return errorCode;
  const hundreds = Math.floor(responseStatus / 100);
  return hundreds === 4 || hundreds === 5 ? `HTTP_${hundreds}XX` : errorCode;
}

/** The beginning of the period of this length, in UTC, that a time is in; epoch milliseconds. */
export function startOf(time: number, lengthMs: number): number {
  return Math.floor(time / lengthMs) * lengthMs;
}

/** Adds the counts of rows. */
export function sumOf(rows: readonly Pick<TrafficRow, 'counts'>[]): TrafficCounts {
  const [first] = rows;
  if (first && rows.length === 1) return first.counts;
  const sum: Record<string, number> = {};
  for (const { counts } of rows)
    for (const name of Object.keys(counts)) sum[name] = (sum[name] ?? 0) + (counts[name] ?? 0);
  return sum;
}
