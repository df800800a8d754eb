import { floorId } from '../../domain/id.ts';
import type { RetentionStore } from '../../ports/storage/retention-store.ts';
import type { State } from './state.ts';
import type { MemorySubscriptionStore } from './subscription-store.ts';

export class MemoryRetentionStore implements RetentionStore {
  readonly #state: State;

  readonly #subscriptions: MemorySubscriptionStore;

  constructor(state: State, subscriptions: MemorySubscriptionStore) {
    this.#state = state;
    this.#subscriptions = subscriptions;
  }

  async deleteHistory(before: number, most: number): Promise<number> {
    const swept = this.#subscriptions.sweepDeleted(most);
    const limit = most - swept;
    const deliveries = this.#deleteDeliveries(floorId('whd', before), limit);
    const floor = floorId('evt', before);
    const queued = this.#deleteQueuedEvents(floor, limit - deliveries);
    const events = this.#deleteEvents(floor, limit - deliveries - queued);
    const deleted = deliveries + queued + events;
    return swept + deleted + this.#deleteEndpointUrls(before, limit - deleted);
  }

  async deleteIdempotencyRecords(before: number, limit: number): Promise<number> {
    const old = [...this.#state.idempotency]
      .filter(([, record]) => record.createdAt < before)
      .slice(0, limit);
    for (const [key] of old) this.#state.idempotency.delete(key);
    return old.length;
  }

  async deleteInstanceHistory(before: number, limit: number): Promise<number> {
    const floor = floorId('hst', before);
    const old = [...this.#state.history.keys()].filter((id) => id < floor).slice(0, limit);
    for (const id of old) this.#state.history.delete(id);
    return old.length;
  }

  #deleteDeliveries(floor: string, limit: number): number {
    const old = [...this.#state.deliveries.keys()].filter((id) => id < floor).slice(0, limit);
    for (const id of old) {
      const endpointId = this.#state.deliveries.get(id)?.delivery.endpointId ?? '';
      this.#state.lanes.get(endpointId)?.remove(id);
      this.#state.deliveries.delete(id);
    }
    return old.length;
  }

  #deleteQueuedEvents(floor: string, limit: number): number {
    const old = [...this.#state.queuedEvents].filter(([, { eventId }]) => eventId < floor).slice(0, limit);
    for (const [key] of old) this.#state.queuedEvents.delete(key);
    return old.length;
  }

  #deleteEvents(floor: string, limit: number): number {
    const inUse = new Set(Array.from(this.#state.deliveries.values(), ({ delivery }) => delivery.eventId));
    const old = [...this.#state.events.keys()].filter((id) => id < floor && !inUse.has(id)).slice(0, limit);
    for (const id of old) {
      this.#state.events.delete(id);
      this.#state.eventSubjects.delete(id);
      this.#state.traceparents.delete(id);
    }
    return old.length;
  }

  #deleteEndpointUrls(before: number, limit: number): number {
    const inUse = new Set(Array.from(this.#state.deliveries.values(), ({ delivery }) => delivery.endpointId));
    const old = [...this.#state.deletedEndpoints]
      .filter(([id, { deletedAt }]) => deletedAt < before && !inUse.has(id))
      .slice(0, limit);
    for (const [id] of old) this.#state.deletedEndpoints.delete(id);
    return old.length;
  }
}
