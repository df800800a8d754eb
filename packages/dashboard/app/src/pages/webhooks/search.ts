import { EVENT_TYPES, SUBSCRIBABLE_TYPES } from '../../domain/event-types.ts';
import type { EventType, SubscribableType } from '../../domain/event-types.ts';
import { DELIVERY_STATUSES } from '../../domain/delivery-status.ts';
import type { DeliveryStatus } from '../../domain/delivery-status.ts';
import { WEBHOOK_STATES } from '../../domain/webhook-status.ts';
import type { WebhookState } from '../../domain/webhook-status.ts';
import { oneOfIn, present, textIn } from '../../router/search.ts';
import type { RawSearch } from '../../router/search.ts';

export interface WebhooksSearch {
  readonly state?: WebhookState;
  /** Shows only webhooks that subscribe to this event. */
  readonly event?: SubscribableType;
}

export function webhooksSearch(search: RawSearch): WebhooksSearch {
  return present({
    state: oneOfIn(search, 'state', WEBHOOK_STATES),
    event: oneOfIn(search, 'event', SUBSCRIBABLE_TYPES),
  });
}

export interface WebhookSearch {
  readonly status?: DeliveryStatus;
  readonly event?: EventType;
  readonly cursor?: string;
}

export function webhookSearch(search: RawSearch): WebhookSearch {
  return present({
    status: oneOfIn(search, 'status', DELIVERY_STATUSES),
    event: oneOfIn(search, 'event', EVENT_TYPES),
    cursor: textIn(search, 'cursor', 512),
  });
}
