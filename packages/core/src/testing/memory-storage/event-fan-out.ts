import { newDelivery } from '../../domain/delivery/delivery.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import type { Event, EventRecord, EventType } from '../../domain/event/event.ts';
import type { EventSubscription } from '../../domain/subscription/event-subscription.ts';
import { byId } from './order.ts';
import { insertRow, keyOf } from './state.ts';
import type { State, Work } from './state.ts';

/**
 * Stores events, each with a delivery for each endpoint that subscribes, and a place in the queue of each
 * subscription that wants the event. Returns the signals to send at the end of the calling method.
 */
export function storeEvents(state: State, events: readonly EventRecord[]): readonly Work[] {
  return events.flatMap(({ subject, traceparent = null, ...event }) => {
    storeEvent(state, event);
    if (traceparent !== null) state.traceparents.set(event.id, traceparent);
    state.eventSubjects.set(event.id, structuredClone(subject));
    const endpoints = [...state.endpoints.values()].filter((endpoint) => subscribes(endpoint, event));
    for (const endpoint of endpoints.toSorted(byId)) deliver(state, endpoint, event);
    const subscriptions = [...state.subscriptions.values()].filter((one) => wants(one.eventTypes, event));
    for (const subscription of subscriptions) queueEvent(state, subscription, event);
    return [
      { topic: 'events', workspaceId: event.workspaceId },
      ...endpoints.map((): Work => ({ topic: 'deliveries' })),
      ...subscriptions.map((): Work => ({ topic: 'subscriptions' })),
    ];
  });
}

/** Stores an event for this endpoint only, with its delivery. */
export function storeEventFor(state: State, endpoint: Endpoint, event: Event): Delivery {
  storeEvent(state, event);
  return deliver(state, endpoint, event);
}

function storeEvent(state: State, { id, workspaceId, type, occurredAt, payload }: Event): void {
  state.events.set(id, { id, workspaceId, type, occurredAt, payload });
}

function deliver(state: State, endpoint: Endpoint, event: Event): Delivery {
  const lane = state.lanes.get(endpoint.id);
  if (!lane) throw new Error(`The endpoint ${endpoint.id} has no lane.`);
  const delivery = newDelivery(event, endpoint.id, state.newId);
  insertRow(state.deliveries, delivery.id, { delivery, generation: lane.generation, attempts: [] });
  lane.queue(delivery.id, delivery.createdAt);
  return delivery;
}

function queueEvent(state: State, { id: subscriptionId }: EventSubscription, event: Event): void {
  insertRow(state.queuedEvents, keyOf(subscriptionId, event.id), {
    subscriptionId,
    eventId: event.id,
    eventType: event.type,
    dueAt: Math.floor(event.occurredAt / 1000),
    exhaustedAt: null,
    attempts: 0,
    lostClaims: 0,
    token: null,
  });
}

function subscribes(endpoint: Endpoint, event: Event): boolean {
  return (
    endpoint.workspaceId === event.workspaceId &&
    endpoint.status === 'enabled' &&
    wants(endpoint.events, event)
  );
}

function wants(types: readonly EventType[], event: Event): boolean {
  return types.includes(event.type);
}
