/**
 * Every event type of the specification, and when it is sent. In this table, the data of a `message.…` event is the
 * message, and that of an `instance.…` event is the instance.
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

/** Event types beyond the specification, sent only to endpoints and handlers that name them, and when they are sent. */
export const OPT_IN_EVENT_MEANINGS = {
  'message.echo': 'the owner of the number sent a message with the phone, or with another linked device',
  'message.reaction': 'somebody reacted to a message, or took the reaction back',
  'message.poll_voted': 'somebody voted in a poll, or took the vote back',
  'message.edited': 'the author of a message changed its text or caption',
  'message.deleted': 'a message was deleted for everyone in its chat',
  'message.action_failed':
    'an action on a message, such as a reaction or a deletion, that the API has accepted could not be carried out',
  'message.undecryptable': 'a message arrived that only the phone can show, or that cannot be decrypted',
  'message.media_available':
    'the file of a message, which was not available at `message.received` or `message.echo`, can be downloaded',
  'message.media_updated':
    'a better copy of the file of a message, such as the picture in HD, has replaced the first one',
  'call.received': 'somebody calls the number',
  'instance.passkey_required':
    'a network links the number of an instance only with the passkey of its account, and waits for it',
} as const;

/** An event type beyond the specification, sent only to endpoints that name it. */
export type OptInEventType = keyof typeof OPT_IN_EVENT_MEANINGS;
/** The type of any event, of the specification or beyond. */
export type WebhookEventType = keyof typeof EVENT_MEANINGS | OptInEventType;
/** An event type of the specification whose data is a message. */
export type MessageEventType = Extract<keyof typeof EVENT_MEANINGS, `message.${string}`>;
/** An event type whose data is an instance. */
export type InstanceEventType = Extract<WebhookEventType, `instance.${string}`>;
