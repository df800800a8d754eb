import { EVENT_MEANINGS } from '@trunkline/receiver';
import type { WebhookEventType } from '@trunkline/receiver';

// The table of event types stands with the receivers' types, which have to know them too.
export { EVENT_MEANINGS };
export type { InstanceEventType, MessageEventType } from '@trunkline/receiver';

export type EventType = WebhookEventType;
/** What an endpoint can subscribe to. `webhook.test` is sent to the endpoint under test, whatever it subscribes to. */
export type SubscribableEventType = Exclude<EventType, 'webhook.test'>;

export const EVENT_TYPES: readonly EventType[] = Object.keys(EVENT_MEANINGS) as EventType[]; // its own keys
export const SUBSCRIBABLE_EVENT_TYPES: readonly SubscribableEventType[] = EVENT_TYPES.filter(
  (type) => type !== 'webhook.test',
);

/** Something that happened, with the exact bytes that every receiver gets. */
export interface Event {
  readonly id: string;
  readonly workspaceId: string;
  readonly type: EventType;
  /** Epoch microseconds. */
  readonly occurredAt: number;
  /** The JSON body that is signed and sent, the same for every endpoint and every attempt. */
  readonly payload: string;
}
