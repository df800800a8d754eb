import type { OptInEventType, WebhookEventType } from '@trunkline/receiver';

// The names alone: the table of `@trunkline/receiver` brings its sentences with it, into the first file of the app.

export type EventType = WebhookEventType;
export type SubscribableType = Exclude<EventType, 'webhook.test'>;

/** Of the specification. */
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

/** Those that nobody gets who does not name them. */
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

/** All that a webhook and the stream can bring. A deployment's own new ones come with an update. */
export const SUBSCRIBABLE_TYPES: readonly SubscribableType[] = [...SPECIFIED_TYPES, ...OPT_IN_TYPES];
/** All that a delivery can be of. */
export const EVENT_TYPES: readonly EventType[] = [...SUBSCRIBABLE_TYPES, 'webhook.test'];
