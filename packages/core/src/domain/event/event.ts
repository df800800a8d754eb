/** The nine event types that an endpoint can subscribe to (specification, "Events"). */
export const SUBSCRIBABLE_EVENT_TYPES = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'instance.connected',
  'instance.disconnected',
  'instance.qr_required',
  'instance.error',
] as const;

export type SubscribableEventType = (typeof SUBSCRIBABLE_EVENT_TYPES)[number];
export type MessageEventType = Extract<SubscribableEventType, `message.${string}`>;
export type InstanceEventType = Extract<SubscribableEventType, `instance.${string}`>;

/** `webhook.test` is sent to the endpoint under test whatever it subscribes to. */
export type EventType = SubscribableEventType | 'webhook.test';
export const EVENT_TYPES: readonly EventType[] = [...SUBSCRIBABLE_EVENT_TYPES, 'webhook.test'];

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
