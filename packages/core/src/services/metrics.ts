import type { MeterProvider, MetricOptions } from '@opentelemetry/api';
import type { Delivery, DeliveryErrorCode } from '../domain/delivery/delivery.ts';
import { MESSAGE_TYPES } from '../domain/message/message.ts';
import { dueSince } from '../domain/message/schedule.ts';
import type { Message } from '../domain/message/message.ts';
import type { PortFailure } from '../runtime/port-guard.ts';
import { boundedLabel } from './bounded-label.ts';
import { unfailing } from '../runtime/unfailing.ts';
import { observeWorkload } from './workload-metrics.ts';
import type { WorkloadSource } from './workload-metrics.ts';

/**
 * The metrics of this process. Labels are types, codes and other values from bounded lists, never ids or anything else
 * whose number grows without limit.
 */
export interface Metrics {
  /** `durationMs` counts from the start of the request. */
  messageAccepted(message: Message, durationMs: number): void;
  messageReceived(message: Message): void;
  /** The file of an inbound message was stored with it or later, or was given up. */
  fileReceived(outcome: 'in_time' | 'late' | 'given_up'): void;
  /** A message has left the queue: sent, or failed. */
  messageCompleted(message: Message, outcome: 'sent' | 'failed', now: number): void;
  /** The pace of an instance delayed a message, which is counted once for each reason. */
  messagePaced(reason: 'interval' | 'new_person'): void;
  webhookAttempted(delivery: Delivery, attempt: WebhookAttempt): void;
  /** Something arrived that was neither stored nor reported. `kind` says what arrived. */
  skipped(kind: string): void;
  /** A connection to the network ended. `reason` comes from the gateway. */
  connectionClosed(network: string, reason: string): void;
  /** This process lost the leases of instances, which others may hold now. */
  leasesLost(count: number): void;
  /** A call of a port rejected, or was given up because it took too long. */
  portFailed(failure: PortFailure): void;
  /** A line was logged, or suppressed because there were too many. */
  logged(level: 'warn' | 'error'): void;
  /** Sets the function that counts the instances held by this process. */
  observeLeases(held: () => ReadonlyMap<string, number>): void;
  /** Sets the source of the workload; null removes it. */
  observeWorkload(source: WorkloadSource | null): void;
  /** Sets the function that returns the delay of lookups by counterpart, in milliseconds. */
  observeFilingDelay(delayMs: () => number): void;
}

interface WebhookAttempt {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly errorCode: DeliveryErrorCode | null;
}

const SECONDS_TO_A_REQUEST_END = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SECONDS_TO_AN_HOUR = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600];

/** Creates OpenTelemetry instruments, which cost nothing if no SDK is installed. */
export function createMetrics(provider: MeterProvider): Metrics {
  const meter = provider.getMeter('@trunkline/core');
  /** Counts the leases that the current workers hold. */
  let heldNow: (() => ReadonlyMap<string, number>) | null = null;
  let workload: WorkloadSource | null = null;
  let filingDelayNow: (() => number) | null = null;
  const accepted = meter.createCounter('trunkline.messages.accepted', {
    description: 'Outbound messages that were accepted, by type',
  });
  const received = meter.createCounter('trunkline.messages.received', {
    description: 'Inbound messages that were stored, by type',
  });
  const files = meter.createCounter('trunkline.files.received', {
    description: 'Files of inbound messages: stored with them, stored later, or given up, by outcome',
  });
  const sent = meter.createCounter('trunkline.messages.sent', {
    description: 'Messages that the network has taken, by type',
  });
  const failed = meter.createCounter('trunkline.messages.failed', {
    description: 'Messages that the network has refused, or never responded to, by type',
  });
  const paced = meter.createCounter('trunkline.messages.paced', {
    description: 'Messages that the pace of their instance delayed, by reason',
  });
  const skipped = meter.createCounter('trunkline.messages.skipped', {
    description: 'What arrived and was neither stored nor reported, by kind',
  });
  const skippedKind = boundedLabel();
  const acceptances = meter.createHistogram(
    'trunkline.messages.acceptance.duration',
    seconds('From a request to send until its message is on disk', SECONDS_TO_A_REQUEST_END),
  );
  const queued = meter.createHistogram(
    'trunkline.messages.queue.duration',
    seconds('From the acceptance of a message until it has left the queue', SECONDS_TO_AN_HOUR),
  );
  const attempts = meter.createHistogram(
    'trunkline.webhooks.attempt.duration',
    seconds('Attempts of webhook deliveries, by outcome', SECONDS_TO_A_REQUEST_END),
  );
  const lag = meter.createHistogram(
    'trunkline.webhooks.lag',
    seconds('From when an attempt was due until it began', SECONDS_TO_AN_HOUR),
  );
  const delivered = meter.createHistogram(
    'trunkline.webhooks.delivery.duration',
    seconds('From an event until a webhook with it was accepted', SECONDS_TO_AN_HOUR),
  );
  const closed = meter.createCounter('trunkline.instances.connections.closed', {
    description: 'Connections to the network that ended by themselves, by network and reason',
  });
  const closedReason = boundedLabel();
  const lost = meter.createCounter('trunkline.instances.leases.lost', {
    description: 'Leases that this process lost while it held the instance',
  });
  const portFailures = meter.createCounter('trunkline.ports.failures', {
    description:
      'Calls of the storage, the media store and the webhook sender that failed, by operation and outcome: rejected, or late and given up',
  });
  const logged = meter.createCounter('trunkline.log.records', {
    description: 'Warnings and errors that were logged, by level',
  });
  // Start at 0, because a series that began with the first fault would hide that fault: `increase` and `rate`
  // do not count the beginning as a rise.
  for (const type of MESSAGE_TYPES)
    for (const counter of [accepted, received, sent, failed]) counter.add(0, { type });
  for (const outcome of ['in_time', 'late', 'given_up']) files.add(0, { outcome });
  for (const reason of ['interval', 'new_person']) paced.add(0, { reason });
  for (const level of ['warn', 'error']) logged.add(0, { level });
  lost.add(0);
  const leases = meter.createObservableGauge('trunkline.instances.held', {
    description: 'Instances whose lease this process holds, by network',
  });

  observeWorkload(meter, () => workload);
  const filingDelay = meter.createObservableGauge('trunkline.chats.filing.delay', {
    description: 'How long messages wait until look-ups by counterpart find them',
    unit: 's',
  });

  const metrics: Metrics = {
    messageAccepted({ type }, durationMs) {
      accepted.add(1, { type });
      acceptances.record(durationMs / 1000);
    },
    messageReceived: ({ type }) => received.add(1, { type }),
    fileReceived: (outcome) => files.add(1, { outcome }),
    messageCompleted(message, outcome, now) {
      (outcome === 'sent' ? sent : failed).add(1, { type: message.type });
      queued.record(secondsBetween(dueSince(message), now), { outcome });
    },
    messagePaced: (reason) => paced.add(1, { reason }),
    webhookAttempted({ manual, nextRetryAt, createdAt, eventOccurredAt }, { startedAt, endedAt, errorCode }) {
      const outcome = errorCode?.toLowerCase() ?? 'success';
      attempts.record(secondsBetween(startedAt, endedAt), { outcome });
      // The time when a manual retry was requested is not known.
      if (manual) return;
      lag.record(secondsBetween(nextRetryAt ?? createdAt, startedAt));
      // `eventOccurredAt` is in microseconds.
      if (errorCode === null) delivered.record(secondsBetween(eventOccurredAt / 1000, endedAt));
    },
    skipped: (kind) => skipped.add(1, { kind: skippedKind(kind) }),
    connectionClosed: (network, reason) => closed.add(1, { network, reason: closedReason(reason) }),
    leasesLost: (count) => lost.add(count),
    portFailed: ({ operation, outcome }) => portFailures.add(1, { operation, outcome }),
    logged: (level) => logged.add(1, { level }),
    observeLeases(held) {
      // The callback is never removed, because without the callback an SDK would keep reporting the last number.
      if (!heldNow)
        leases.addCallback((result) => {
          for (const [network, count] of heldNow?.() ?? []) result.observe(count, { network });
        });
      heldNow = held;
    },
    observeWorkload(source) {
      workload = source;
    },
    observeFilingDelay(delayMs) {
      if (!filingDelayNow)
        filingDelay.addCallback((result) => result.observe((filingDelayNow?.() ?? 0) / 1000));
      filingDelayNow = delayMs;
    },
  };
  return unfailing(metrics);
}

function seconds(description: string, boundaries: number[]): MetricOptions {
  return { description, unit: 's', advice: { explicitBucketBoundaries: boundaries } };
}

/** At least 0, because the clocks of processes may differ. */
function secondsBetween(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}
