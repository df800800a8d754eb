import {
  ATTEMPT_BOUNDS_MS,
  classesIn,
  estimateQuantile,
  NETWORK_BOUNDS_MS,
} from '../domain/traffic/duration-classes.ts';
import type { ClassBounds } from '../domain/traffic/duration-classes.ts';
import { failuresIn } from '../domain/traffic/traffic.ts';
import type { TrafficCounts, TrafficSeries, TrafficStep } from '../domain/traffic/traffic.ts';
import { timestamp } from './time.ts';

/** Durations, counted in classes. */
export type DurationsResource = {
  /** The estimated median; milliseconds. Null without durations. */
  readonly p50_ms: number | null;
  /** The estimated duration that 95 % do not exceed; milliseconds. Null without durations. */
  readonly p95_ms: number | null;
  /** How many durations are in each class, the shortest first: one more class than `bounds_ms` has bounds. */
  readonly classes: readonly number[];
};

/** The messages of a period. Messages that were sent with the phone are not counted. */
export type MessageCounts = {
  /** Messages from people. */
  readonly received: number;
  /** Messages that the network accepted. */
  readonly sent: number;
  /** Messages that reached their recipients. */
  readonly delivered: number;
  /** Messages that their recipients read. */
  readonly read: number;
  /** Messages that failed, by the code of the error. */
  readonly failed: Readonly<Record<string, number>>;
  /** From the acceptance of a message, or its `send_at`, until the network accepted it. */
  readonly time_to_network: DurationsResource;
};

/** The attempts of a webhook in a period. */
export type AttemptCounts = {
  /** Attempts that the receiver accepted. */
  readonly succeeded: number;
  /** Failed attempts, by their `error_code`; `HTTP_ERROR` is divided into `HTTP_4XX`, `HTTP_5XX` and the rest. */
  readonly failed: Readonly<Record<string, number>>;
  /** How long the attempts took. */
  readonly duration: DurationsResource;
};

/** Counts over time. */
type Periods<Counts> = {
  /** The beginning of the first period. */
  readonly from: string;
  /** The end of the last period. */
  readonly to: string;
  /** The length of each period. */
  readonly step: TrafficStep;
  /** The upper ends of the classes of duration, except the last one, which has none; milliseconds. */
  readonly bounds_ms: readonly number[];
  /** All periods together. */
  readonly total: Counts;
  /** The periods that have counts, oldest first. */
  readonly periods: readonly ({
    /** The beginning of the period. */
    readonly start: string;
  } & Counts)[];
};

/** The traffic of an instance, or of a whole workspace. Counted every ten seconds; a crash may lose that much. */
export type TrafficResource = {
  /** Null for the whole workspace. */
  readonly instance_id: string | null;
} & Periods<MessageCounts>;

/** The attempts of a webhook. Counted every ten seconds; a crash may lose that much. */
export type WebhookTrafficResource = {
  /** `wh_…` */
  readonly webhook_id: string;
} & Periods<AttemptCounts>;

export function trafficResource(instanceId: string | null, series: TrafficSeries): TrafficResource {
  return { instance_id: instanceId, ...periodsOf(series, NETWORK_BOUNDS_MS, messageCounts) };
}

export function webhookTrafficResource(webhookId: string, series: TrafficSeries): WebhookTrafficResource {
  return { webhook_id: webhookId, ...periodsOf(series, ATTEMPT_BOUNDS_MS, attemptCounts) };
}

function periodsOf<Counts>(
  { from, to, step, total, periods }: TrafficSeries,
  bounds: ClassBounds,
  countsOf: (counts: TrafficCounts) => Counts,
): Periods<Counts> {
  return {
    from: timestamp(from),
    to: timestamp(to),
    step,
    bounds_ms: bounds,
    total: countsOf(total),
    periods: periods.map(({ start, counts }) => ({ start: timestamp(start), ...countsOf(counts) })),
  };
}

function messageCounts(counts: TrafficCounts): MessageCounts {
  return {
    received: counts['received'] ?? 0,
    sent: counts['sent'] ?? 0,
    delivered: counts['delivered'] ?? 0,
    read: counts['read'] ?? 0,
    failed: failuresIn(counts),
    time_to_network: durations(counts, NETWORK_BOUNDS_MS),
  };
}

function attemptCounts(counts: TrafficCounts): AttemptCounts {
  return {
    succeeded: counts['succeeded'] ?? 0,
    failed: failuresIn(counts),
    duration: durations(counts, ATTEMPT_BOUNDS_MS),
  };
}

function durations(counts: TrafficCounts, bounds: ClassBounds): DurationsResource {
  const classes = classesIn(counts, bounds);
  return {
    p50_ms: estimateQuantile(classes, bounds, 0.5),
    p95_ms: estimateQuantile(classes, bounds, 0.95),
    classes,
  };
}
