import type { MeterProvider, MetricOptions } from '@opentelemetry/api';
import type { Delivery, DeliveryErrorCode } from '../domain/delivery/delivery.ts';
import type { Message } from '../domain/message/message.ts';

/**
 * What this process reports of its work. No label is an id or anything else of which there are more and more: types,
 * kinds and error codes alone.
 */
export interface Metrics {
  messageAccepted(message: Message): void;
  messageReceived(message: Message): void;
  /** The file of an inbound message is stored with it, or later, or will never be. */
  fileReceived(outcome: 'in_time' | 'late' | 'given_up'): void;
  /** It has left the queue: to the network, or for good. */
  messageCompleted(message: Message, outcome: 'sent' | 'failed', now: number): void;
  webhookAttempted(delivery: Delivery, attempt: WebhookAttempt): void;
  /** Something arrived that was neither stored nor reported. `kind` is as the gateway calls it. */
  skipped(kind: string): void;
  /** Calls back for the number of instances that this process holds. */
  observeLeases(held: () => number): void;
}

interface WebhookAttempt {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly errorCode: DeliveryErrorCode | null;
}

/** More kinds than any network has: what a gateway passes on from strangers must not make more and more series. */
const SKIPPED_KINDS = 100;
const KIND = /^[a-z0-9_]{1,40}$/;

const SECONDS_TO_A_REQUEST_END = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SECONDS_TO_AN_HOUR = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600];

/** Instruments of OpenTelemetry, which cost nothing where no SDK is installed. */
export function createMetrics(provider: MeterProvider): Metrics {
  const meter = provider.getMeter('@trunkline/core');
  /** Of the workers that were started last. */
  let heldNow: (() => number) | null = null;
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
  const skipped = meter.createCounter('trunkline.messages.skipped', {
    description: 'What arrived and was neither stored nor reported, by kind',
  });
  const skippedKinds = new Set<string>();
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
  const leases = meter.createObservableGauge('trunkline.instances.held', {
    description: 'Instances whose lease this process holds',
  });

  return {
    messageAccepted: ({ type }) => accepted.add(1, { type }),
    messageReceived: ({ type }) => received.add(1, { type }),
    fileReceived: (outcome) => files.add(1, { outcome }),
    messageCompleted({ type, createdAt }, outcome, now) {
      (outcome === 'sent' ? sent : failed).add(1, { type });
      queued.record(secondsBetween(createdAt, now), { outcome });
    },
    webhookAttempted({ manual, nextRetryAt, createdAt }, { startedAt, endedAt, errorCode }) {
      const outcome = errorCode?.toLowerCase() ?? 'success';
      attempts.record(secondsBetween(startedAt, endedAt), { outcome });
      // When somebody asked for a manual retry is not known.
      if (!manual) lag.record(secondsBetween(nextRetryAt ?? createdAt, startedAt));
    },
    skipped(kind) {
      const isKnown = skippedKinds.has(kind);
      const fits = isKnown || (skippedKinds.size < SKIPPED_KINDS && KIND.test(kind));
      if (fits && !isKnown) skippedKinds.add(kind);
      skipped.add(1, { kind: fits ? kind : 'other' });
    },
    observeLeases(held) {
      // For good: without a callback an SDK would go on reporting the last number.
      if (!heldNow) leases.addCallback((result) => result.observe(heldNow?.() ?? 0));
      heldNow = held;
    },
  };
}

function seconds(description: string, boundaries: number[]): MetricOptions {
  return { description, unit: 's', advice: { explicitBucketBoundaries: boundaries } };
}

/** Of two clocks that may differ. */
function secondsBetween(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}
