import { EVENT_MEANINGS, OPT_IN_EVENT_MEANINGS } from '@trunkline/receiver';
import type { OptInEventType, WebhookEventType } from '@trunkline/receiver';

// The tables of event types stand with the receivers' types, which have to know them too.
export { EVENT_MEANINGS, OPT_IN_EVENT_MEANINGS };
export type { InstanceEventType, MessageEventType, OptInEventType } from '@trunkline/receiver';

export type EventType = WebhookEventType;
/** What an endpoint can subscribe to. `webhook.test` is sent to the endpoint under test, whatever it subscribes to. */
export type SubscribableEventType = Exclude<EventType, 'webhook.test'>;

// Their own keys.
const SPECIFIED = Object.keys(EVENT_MEANINGS) as (keyof typeof EVENT_MEANINGS)[];
/** Event types beyond the specification: whoever wants one names it. */
export const OPT_IN_EVENT_TYPES: readonly OptInEventType[] = Object.keys(
  OPT_IN_EVENT_MEANINGS,
) as OptInEventType[];

export const EVENT_TYPES: readonly EventType[] = [...SPECIFIED, ...OPT_IN_EVENT_TYPES];
/** The event types of the specification: what `'*'` stands for. `OPT_IN_EVENT_TYPES` can be subscribed to by name, too. */
export const SUBSCRIBABLE_EVENT_TYPES: readonly Exclude<SubscribableEventType, OptInEventType>[] =
  SPECIFIED.filter((type) => type !== 'webhook.test');
/** All that an endpoint or a handler may name. */
export const NAMEABLE_EVENT_TYPES: readonly SubscribableEventType[] = [
  ...SUBSCRIBABLE_EVENT_TYPES,
  ...OPT_IN_EVENT_TYPES,
];

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

/** What an event is about, by which it is found. */
export interface EventSubject {
  /** Null for `webhook.test`. */
  readonly instanceId: string | null;
  /** Null if the event is about no message that is stored. */
  readonly messageId: string | null;
}

/** An event as storages take it. */
export interface EventRecord extends Event {
  readonly subject: EventSubject;
  /** Where the span stands that caused it (W3C Trace Context); absent or null if nobody records that trace. */
  readonly traceparent?: string | null;
}
