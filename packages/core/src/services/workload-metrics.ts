import type { BatchObservableResult, Meter, ObservableGauge } from '@opentelemetry/api';
import { INSTANCE_STATUSES } from '../domain/instance/instance.ts';
import type { Workload } from '../ports/storage/workload-store.ts';

/**
 * The workload for the gauges below, and the clock for ages. `read` returns null if the workload cannot be
 * read.
 */
export interface WorkloadSource {
  /** The networks that are reported even if they have no instances. */
  readonly networks: readonly string[];
  now(): number;
  read(): Promise<Workload | null>;
}

/**
 * Gauges of the whole service, the same in every process that exports them. They are read when an exporter
 * asks, and are NaN if that fails. Without an SDK they are never read.
 */
export function observeWorkload(meter: Meter, source: () => WorkloadSource | null): void {
  const count = (name: string, description: string): ObservableGauge =>
    meter.createObservableGauge(name, { description });
  const age = (name: string, description: string): ObservableGauge =>
    meter.createObservableGauge(name, { description, unit: 's' });

  const instances = count('trunkline.instances', 'Instances, by network and status');
  const counts = {
    unheldInstances: count('trunkline.instances.unheld', 'Instances that need a process and have none'),
    queuedMessages: count('trunkline.messages.queued', 'Messages that wait to be sent'),
    openDeliveries: count('trunkline.webhooks.open', 'Webhook deliveries that have not ended'),
    failingEndpoints: count(
      'trunkline.webhooks.endpoints.failing',
      'Enabled webhooks whose attempts all fail, and at which a delivery was given up',
    ),
    queuedEvents: count('trunkline.handlers.queued', 'Events that wait for a handler in process'),
    exhaustedEvents: count('trunkline.handlers.exhausted', 'Events that a handler has failed at too often'),
    pendingDownloads: count('trunkline.files.pending', 'Files of inbound messages that have not arrived'),
  };
  const oldestQueued = age('trunkline.messages.queued.oldest.age', 'Age of the oldest message that waits');
  const ages = {
    oldestOpenDeliveryAt: age('trunkline.webhooks.open.oldest.age', 'Age of the oldest open delivery'),
    deliveriesDueAt: age('trunkline.webhooks.overdue', 'How long a delivery has been due for an attempt'),
    eventsDueAt: age('trunkline.handlers.overdue', 'How long an event has been due for its handler'),
    oldestEventAt: age(
      'trunkline.events.oldest.age',
      'Age of the oldest event that retention has not deleted',
    ),
  };

  /** All networks that were ever reported. */
  const networks = new Set<string>();
  const observe = async (result: BatchObservableResult): Promise<void> => {
    const from = source();
    const workload = (await from?.read()) ?? null;
    const now = from?.now() ?? 0;
    // Without an observation, an SDK keeps reporting the last number, however old it is.
    const ageOf = (since: number | null | undefined): number =>
      workload ? Math.max(0, now - (since ?? now)) / 1000 : NaN;
    for (const network of [...(from?.networks ?? []), ...Object.keys(workload?.instances ?? {})])
      networks.add(network);
    for (const network of networks)
      for (const status of INSTANCE_STATUSES) {
        const count = workload ? (workload.instances[network]?.[status] ?? 0) : NaN;
        result.observe(instances, count, { network, status });
      }
    for (const name of namesOf(counts)) result.observe(counts[name], workload?.[name] ?? NaN);
    for (const name of namesOf(ages)) result.observe(ages[name], ageOf(workload?.[name]));
    result.observe(oldestQueued, ageOf(workload?.oldestQueuedMessage?.since));
  };
  meter.addBatchObservableCallback(observe, [
    instances,
    oldestQueued,
    ...Object.values(counts),
    ...Object.values(ages),
  ]);
}

function namesOf<Gauges extends object>(gauges: Gauges): readonly (keyof Gauges)[] {
  return Object.keys(gauges) as (keyof Gauges)[]; // safe: these objects have no other keys
}
