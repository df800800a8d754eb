import { isOpen } from '../../domain/delivery/delivery.ts';
import { orderOfId } from '../../domain/id.ts';
import { INSTANCE_STATUSES } from '../../domain/instance/instance.ts';
import type { InstanceStatus } from '../../domain/instance/instance.ts';
import type {
  InstanceQueue,
  QueuedSince,
  Workload,
  WorkloadStore,
} from '../../ports/storage/workload-store.ts';
import { readDelivery } from './delivery-store.ts';
import { needsGateway } from './lease.ts';
import { byId, compareCodePoints } from './order.ts';
import { isLanePaused } from './postponement.ts';
import type { State } from './state.ts';

export class MemoryWorkloadStore implements WorkloadStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async read({ now, limit }: { readonly now: number; readonly limit: number }): Promise<Workload> {
    const state = this.#state;
    const upToLimit = (count: number): number => Math.min(limit, count);
    const instances = [...state.instances.values()];
    const withStatus = (status: InstanceStatus): number =>
      upToLimit(instances.filter(({ instance }) => instance.status === status).length);
    const open = [...state.deliveries.values()]
      .map((record) => readDelivery(state, record))
      .filter(({ status }) => isOpen(status))
      .toSorted(byId);
    const queued = [...state.queuedEvents.values()];
    const downloads = instances.reduce((count, record) => count + record.downloads.size, 0);
    const [oldestOpen] = open;
    const [oldestEvent] = [...state.events.keys()].toSorted();
    return {
      // The cast is safe: there is one entry for each status.
      instances: Object.fromEntries(
        INSTANCE_STATUSES.map((status) => [status, withStatus(status)]),
      ) as Workload['instances'],
      unheldInstances: upToLimit(
        instances.filter(({ instance, lease }) => needsGateway(instance) && lease.expiresAt <= now).length,
      ),
      queuedMessages: upToLimit(instances.reduce((count, { queue }) => count + queue.size, 0)),
      oldestQueuedMessage: this.#oldestQueued(),
      openDeliveries: upToLimit(open.length),
      oldestOpenDeliveryAt: oldestOpen ? orderOfId('whd', oldestOpen.id).ms : null,
      deliveriesDueAt: this.#deliveriesDueAt(),
      failingEndpoints: upToLimit(
        [...state.endpoints.values()].filter(
          ({ status, health }) => status === 'enabled' && health.failingSince !== null && health.exhausted,
        ).length,
      ),
      queuedEvents: upToLimit(queued.filter(({ dueAt }) => dueAt !== null).length),
      exhaustedEvents: upToLimit(queued.filter(({ dueAt }) => dueAt === null).length),
      eventsDueAt: earliest(
        queued
          .filter(({ subscriptionId }) => state.subscriptions.has(subscriptionId))
          .flatMap(({ dueAt }) => (dueAt === null ? [] : [dueAt])),
      ),
      pendingDownloads: upToLimit(downloads),
      oldestEventAt: oldestEvent === undefined ? null : orderOfId('evt', oldestEvent).ms,
    };
  }

  async queues(
    { workspaceId, instanceId }: { readonly workspaceId: string; readonly instanceId: string | null },
    at: { readonly now: number; readonly countUpTo: number; readonly limit: number },
  ): Promise<readonly InstanceQueue[]> {
    return [...this.#state.instances.values()]
      .filter(({ instance }) => instance.workspaceId === workspaceId)
      .filter(({ instance, queue }) => (instanceId === null ? queue.size > 0 : instance.id === instanceId))
      .map(({ instance, queue, lease }) => {
        const [first] = [...queue.keys()].toSorted(compareCodePoints);
        return {
          instanceId: instance.id,
          queued: Math.min(at.countUpTo, queue.size),
          oldest: first === undefined ? null : { messageId: first, since: orderOfId('msg', first).ms },
          heldBy: lease.expiresAt > at.now ? lease.owner : null,
        };
      })
      .toSorted(
        (a, b) =>
          (a.oldest?.since ?? 0) - (b.oldest?.since ?? 0) || compareCodePoints(a.instanceId, b.instanceId),
      )
      .slice(0, at.limit);
  }

  #oldestQueued(): QueuedSince | null {
    const queued = [...this.#state.instances.values()].flatMap(({ instance, queue }) =>
      Array.from(queue.keys(), (messageId) => ({ id: messageId, instance })),
    );
    const [oldest] = queued.toSorted(byId);
    if (!oldest) return null;
    const { id: messageId, instance } = oldest;
    const since = orderOfId('msg', messageId).ms;
    return { workspaceId: instance.workspaceId, instanceId: instance.id, messageId, since };
  }

  #deliveriesDueAt(): number | null {
    const lanes = [...this.#state.lanes.values()];
    return earliest(
      lanes.flatMap((lane) => {
        const wakeAt = lane.wakeAt(UNLIMITED);
        return wakeAt === null || isLanePaused(this.#state, lane.endpointId) ? [] : [wakeAt];
      }),
    );
  }
}

/** Limits that never apply, to find when work is due. */
const UNLIMITED = { slots: Infinity, startsPerWindow: Infinity, windowMs: 0 };

function earliest(times: readonly number[]): number | null {
  return times.length === 0 ? null : Math.min(...times);
}
