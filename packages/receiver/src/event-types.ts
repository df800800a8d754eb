/**
 * Every event type, and when it is sent. Everything else derives from this table: the events that the service makes,
 * what an endpoint can subscribe to, and the documentation. The data of a `message.…` event is the message, of an
 * `instance.…` event the instance.
 */
export const EVENT_MEANINGS = {
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

export type WebhookEventType = keyof typeof EVENT_MEANINGS;
export type MessageEventType = Extract<WebhookEventType, `message.${string}`>;
export type InstanceEventType = Extract<WebhookEventType, `instance.${string}`>;
