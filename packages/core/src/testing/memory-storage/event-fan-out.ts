import { newDelivery } from '../../domain/delivery/new-delivery.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import type { Event, EventType } from '../../domain/event/event.ts';
import type { WebhookEndpoint } from '../../domain/webhook/endpoint.ts';
import { byId } from './order.ts';
import { insertRow } from './state.ts';
import type { State } from './state.ts';

/** Stores events with a delivery for each endpoint that subscribes. Answers how many deliveries were made. */
export function storeEvents(state: State, events: readonly Event[]): number {
  let made = 0;
  for (const event of events) {
    const endpoints = [...state.endpoints.values()]
      .filter((endpoint) => subscribes(endpoint, event))
      .toSorted(byId);
    for (const endpoint of endpoints) deliver(state, endpoint, event);
    made += endpoints.length;
  }
  return made;
}

/** Stores the event with a delivery of it to this endpoint. */
export function deliver(state: State, endpoint: WebhookEndpoint, event: Event): Delivery {
  const lane = state.lanes.get(endpoint.id);
  if (!lane || !state.context) throw new Error('The storage is not open.');
  const delivery = newDelivery(event, endpoint.id, state.context.newId);
  state.events.set(event.id, structuredClone(event));
  insertRow(state.deliveries, delivery.id, { delivery, generation: lane.generation, attempts: [] });
  lane.queue(delivery.id, delivery.createdAt);
  return delivery;
}

function subscribes(endpoint: WebhookEndpoint, event: Event): boolean {
  const events: readonly EventType[] = endpoint.events;
  return (
    endpoint.workspaceId === event.workspaceId && endpoint.status === 'enabled' && events.includes(event.type)
  );
}
