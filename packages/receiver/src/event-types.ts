const MESSAGE_EVENT_TYPES = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
] as const;

const INSTANCE_EVENT_TYPES = [
  'instance.connected',
  'instance.disconnected',
  'instance.qr_required',
  'instance.error',
] as const;

export type MessageEventType = (typeof MESSAGE_EVENT_TYPES)[number];
export type InstanceEventType = (typeof INSTANCE_EVENT_TYPES)[number];
export type WebhookEventType = MessageEventType | InstanceEventType | 'webhook.test';

export const EVENT_TYPES: readonly WebhookEventType[] = [
  ...MESSAGE_EVENT_TYPES,
  ...INSTANCE_EVENT_TYPES,
  'webhook.test',
];
