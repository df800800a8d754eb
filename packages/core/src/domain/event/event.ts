import { EVENT_MEANINGS, OPT_IN_EVENT_MEANINGS } from '@trunkline/receiver';
import type { OptInEventType, WebhookEventType } from '@trunkline/receiver';

// The tables of event types are in the receiver package, whose types need them too.
export { EVENT_MEANINGS, OPT_IN_EVENT_MEANINGS };
export type { InstanceEventType, MessageEventType, OptInEventType } from '@trunkline/receiver';

export type EventType = WebhookEventType;
/**
 * The event types that an endpoint can subscribe to. `webhook.test` is sent to the endpoint under test, whatever it
 * subscribes to.
 */
export type SubscribableEventType = Exclude<EventType, 'webhook.test'>;

// The casts are safe, because these are the keys of the tables.
const SPECIFIED = Object.keys(EVENT_MEANINGS) as (keyof typeof EVENT_MEANINGS)[];
/** Event types that the specification does not have. Subscribers have to name them. */
export const OPT_IN_EVENT_TYPES: readonly OptInEventType[] = Object.keys(
  OPT_IN_EVENT_MEANINGS,
) as OptInEventType[];

export const EVENT_TYPES: readonly EventType[] = [...SPECIFIED, ...OPT_IN_EVENT_TYPES];
/** The event types of the specification that `'*'` selects. `OPT_IN_EVENT_TYPES` can be subscribed to only by name. */
export const SUBSCRIBABLE_EVENT_TYPES: readonly Exclude<SubscribableEventType, OptInEventType>[] =
  SPECIFIED.filter((type) => type !== 'webhook.test');
/** All event types that an endpoint or a handler may name. */
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

/** The instance and the message that an event is about, by which it is listed. */
export interface EventSubject {
  /** Null for `webhook.test`. */
  readonly instanceId: string | null;
  /** Null if the event is not about a stored message. */
  readonly messageId: string | null;
}

/** Whether an event goes to an endpoint that chose these instances; null for all. */
export function isAboutOneOf(instances: readonly string[] | null, { instanceId }: EventSubject): boolean {
  return instances === null || (instanceId !== null && instances.includes(instanceId));
}

/** An event as it is passed to a storage. */
export interface EventRecord extends Event {
  readonly subject: EventSubject;
  /** The span that caused the event (W3C `traceparent`); absent or null if its trace is not recorded. */
  readonly traceparent?: string | null;
}
