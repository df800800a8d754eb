import type { OptInEventType, WebhookEventType } from '@trunkline/receiver';

// Only names: the table of `@trunkline/receiver` would add its sentences to the initial code.

export type EventType = WebhookEventType;
export type SubscribableType = Exclude<EventType, 'webhook.test'>;

/** The types in the API specification. */
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

/** Complete, because the compiler asks for each type. */
const OPT_IN: Readonly<Record<OptInEventType, true>> = {
  'message.echo': true,
  'message.reaction': true,
  'message.poll_voted': true,
  'message.edited': true,
  'message.deleted': true,
  'message.action_failed': true,
  'message.undecryptable': true,
  'message.media_available': true,
  'message.media_updated': true,
  'call.received': true,
  'instance.passkey_required': true,
};

/** The types that are sent only to webhooks that name them. */
export const OPT_IN_TYPES: readonly OptInEventType[] = Object.keys(OPT_IN) as OptInEventType[]; // Object.keys returns string[]

/** All types that webhooks and the event stream can send, as this version knows them. */
export const SUBSCRIBABLE_TYPES: readonly SubscribableType[] = [...SPECIFIED_TYPES, ...OPT_IN_TYPES];
/** All types that a delivery can have. */
export const EVENT_TYPES: readonly EventType[] = [...SUBSCRIBABLE_TYPES, 'webhook.test'];
