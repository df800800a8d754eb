import type { OptInEventType, WebhookEventType } from '@trunkline/receiver';

// Names only, because the table of `@trunkline/receiver` would bring its sentences into the first file of the app.

export type EventType = WebhookEventType;
export type SubscribableType = Exclude<EventType, 'webhook.test'>;

/** The types of the specification. */
export const SPECIFIED_TYPES: readonly SubscribableType[] = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'instance.connected',
  'instance.disconnected',
  'instance.qr_required',
  'instance.error',
];

/** The types that are sent only to webhooks that name them. */
export const OPT_IN_TYPES: readonly OptInEventType[] = [
  'message.echo',
  'message.reaction',
  'message.edited',
  'message.deleted',
  'message.undecryptable',
  'message.media_available',
  'message.media_updated',
  'call.received',
];

/** All types that webhooks and the stream can send. New types come with an update of the dashboard. */
export const SUBSCRIBABLE_TYPES: readonly SubscribableType[] = [...SPECIFIED_TYPES, ...OPT_IN_TYPES];
/** All types that a delivery can have. */
export const EVENT_TYPES: readonly EventType[] = [...SUBSCRIBABLE_TYPES, 'webhook.test'];
