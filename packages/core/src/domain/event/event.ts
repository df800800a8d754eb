/**
 * Every event type and when it is sent: the one table (specification, "Events"). What callers may subscribe to, the OpenAPI
 * document and the reference derive from it. The data of a message.… event is the message, of an instance.… event the
 * instance; receivers have the types in packages/receiver/src/event.ts.
 */
const TABLE = {
  'message.received': 'an inbound message (text or media, from a person or a group) arrives',
  'message.sent': 'the network accepted an outbound message',
  'message.delivered': "an outbound message reached the recipient's phone",
  'message.read': 'the recipient read an outbound message',
  'message.failed': 'an outbound message could not be sent',
  'instance.connected': 'an instance finished connecting',
  'instance.disconnected': 'an instance disconnected, or its session was closed from the phone',
  'instance.qr_required': 'an instance needs a QR scan',
  'instance.error': 'an instance failed',
  'webhook.test': 'POST /webhooks/{webhook}/test is called: to that endpoint, whatever it subscribes to',
} as const;

export type EventType = keyof typeof TABLE;
/** What an endpoint can subscribe to. */
export type SubscribableEventType = Exclude<EventType, 'webhook.test'>;
export type MessageEventType = Extract<EventType, `message.${string}`>;
export type InstanceEventType = Extract<EventType, `instance.${string}`>;

/** When an event of each type is sent. */
export const EVENT_MEANINGS: Readonly<Record<EventType, string>> = TABLE;

export const EVENT_TYPES: readonly EventType[] = Object.keys(TABLE) as EventType[]; // its own keys
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
