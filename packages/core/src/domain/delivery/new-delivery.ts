import type { Event } from '../event/event.ts';
import type { NewId } from '../id.ts';
import type { Delivery } from './delivery.ts';
import { MAX_ATTEMPTS } from './retry-schedule.ts';

/** The delivery of an event to an endpoint as it begins: made, and due, at the event's millisecond. */
export function newDelivery(event: Event, webhookId: string, newId: NewId): Delivery {
  const createdAt = Math.floor(event.occurredAt / 1000);
  return {
    id: newId('whd', createdAt),
    workspaceId: event.workspaceId,
    webhookId,
    eventId: event.id,
    eventType: event.type,
    eventOccurredAt: event.occurredAt,
    status: 'pending',
    attempts: 0,
    maxAttempts: MAX_ATTEMPTS,
    manual: false,
    nextRetryAt: null,
    responseStatus: null,
    errorCode: null,
    lastAttemptAt: null,
    deliveredAt: null,
    createdAt,
  };
}
