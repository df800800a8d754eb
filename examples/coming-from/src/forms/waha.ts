import { createHmac } from 'node:crypto';
import type { WebhookEvent, WebhookInstance, WebhookMessage, WebhookReaction } from '@trunkline/receiver';
import {
  chatOf,
  jidOf,
  ownNumberOf,
  personOf,
  seconds,
  sentAtSeconds,
  writerOf,
  type Counterpart,
} from '../addresses.ts';
import type { Context, Form, OldWebhook } from '../form.ts';

/** The webhooks of WAHA. docs/coming-from/waha.md names the version, and the parts without an equivalent. */
export function wahaForm({ hmacKey }: { readonly hmacKey?: string | undefined } = {}): Form {
  return {
    convert: (event, context) => convert(event, context),
    headersOf: (webhook, body) => ({
      'X-Webhook-Request-Id': webhook.id,
      'X-Webhook-Timestamp': String(Date.now()),
      ...(hmacKey === undefined
        ? {}
        : {
            'X-Webhook-Hmac': createHmac('sha512', hmacKey).update(body).digest('hex'),
            'X-Webhook-Hmac-Algorithm': 'sha512',
          }),
    }),
  };
}

function convert(event: WebhookEvent, context: Context): readonly OldWebhook[] {
  switch (event.type) {
    case 'message.received': {
      const payload = messagePayload(event.data.message, context);
      return ofMessage(event, event.data.message, context, { message: payload, 'message.any': payload });
    }
    case 'message.echo':
      return ofMessage(event, event.data.message, context, {
        'message.any': messagePayload(event.data.message, context),
      });
    case 'message.sent':
      return ofMessage(event, event.data.message, context, {
        'message.any': messagePayload(event.data.message, context),
        [ackEvent(event.data.message)]: ackPayload(event.data.message),
      });
    case 'message.delivered':
    case 'message.read':
    case 'message.failed':
      return ofMessage(event, event.data.message, context, {
        [ackEvent(event.data.message)]: ackPayload(event.data.message),
      });
    case 'message.reaction':
      return ofMessage(event, event.data.message, context, {
        'message.reaction': reactionPayload(event.id, event.data.message, event.data.reaction),
      });
    case 'message.edited':
      return ofMessage(event, event.data.message, context, {
        'message.edited': {
          ...messagePayload(event.data.message, context),
          editedMessageId: event.data.message.id,
        },
      });
    case 'message.deleted':
      return ofMessage(event, event.data.message, context, {
        'message.revoked': {
          after: messagePayload(event.data.message, context),
          before: null,
          revokedMessageId: event.data.message.id,
        },
      });
    case 'call.received': {
      const { call } = event.data;
      const from =
        call.group_id === null ? personOf(call.contact) : { kind: 'group' as const, id: call.group_id };
      const payload = {
        id: event.id,
        from: chatId(from),
        timestamp: seconds(call.at ?? event.created_at),
        isVideo: call.video,
        isGroup: call.group_id !== null,
      };
      return envelopes(event, call.instance_id, context, undefined, { 'call.received': payload });
    }
    case 'instance.connected':
    case 'instance.disconnected':
    case 'instance.qr_required':
    case 'instance.error': {
      const { instance } = event.data;
      const payload = statusPayload(instance, context, Date.parse(event.created_at));
      return envelopes(event, instance.id, context, meOf(instance), { 'session.status': payload });
    }
    default:
      return [];
  }
}

type Payloads = Readonly<Record<string, object>>;

function ofMessage(
  event: WebhookEvent,
  message: WebhookMessage,
  context: Context,
  payloads: Payloads,
): readonly OldWebhook[] {
  const own = ownNumberOf(message);
  const me = own === null ? undefined : { id: `${own}@c.us`, pushName: '' };
  return envelopes(event, message.instance_id, context, me, payloads);
}

function envelopes(
  { id, created_at }: WebhookEvent,
  instanceId: string,
  context: Context,
  me: object | undefined,
  payloads: Payloads,
): readonly OldWebhook[] {
  return Object.entries(payloads).map(([event, payload], index) => {
    // Consumers of WAHA recognise a repeated webhook by its id, so each webhook that an event becomes has its own id.
    const own = index === 0 ? id : `${id}_${index + 1}`;
    return {
      id: own,
      event,
      body: {
        id: own,
        timestamp: Date.parse(created_at),
        event,
        session: context.sessionOf(instanceId),
        me,
        payload,
        engine: 'NOWEB',
        environment: { version: 'trunkline', engine: 'NOWEB', tier: 'CORE', browser: null },
      },
    };
  });
}

function messagePayload(message: WebhookMessage, context: Context): object {
  const chat = chatId(chatOf(message));
  const own = ownNumberOf(message);
  const fromMe = message.direction === 'outbound';
  return {
    id: messageId(message),
    timestamp: sentAtSeconds(message),
    from: chat,
    fromMe,
    to: fromMe ? chat : own === null ? null : `${own}@c.us`,
    participant: chatId(writerOf(message)),
    body: message.text ?? message.caption,
    hasMedia: message.media !== null,
    media: mediaOf(message, context),
    ...ackOf(message),
    location: locationOf(message),
    vCards:
      message.payload !== null && 'contacts' in message.payload
        ? message.payload.contacts.map(({ vcard }) => vcard)
        : [],
    replyTo: message.reply_to === null ? null : { id: message.reply_to },
    // In WAHA, the data that its engine got from WhatsApp. Here, Trunkline's message.
    _data: message,
  };
}

function mediaOf({ id, media }: WebhookMessage, context: Context): object | null {
  if (media === null) return null;
  return {
    url: media.available ? context.mediaUrlOf(id) : null,
    mimetype: media.mime_type,
    filename: media.filename,
    error: media.available ? null : { message: 'The file has not arrived yet.' },
  };
}

function locationOf({ payload }: WebhookMessage): object | null {
  if (payload === null || !('latitude' in payload)) return null;
  const { latitude, longitude, name, address } = payload;
  return {
    latitude: String(latitude),
    longitude: String(longitude),
    description: [name, address].filter((part) => part !== null).join('\n'),
  };
}

const ACKS = {
  failed: [-1, 'ERROR'],
  queued: [0, 'PENDING'],
  sent: [1, 'SERVER'],
  received: [2, 'DEVICE'],
  delivered: [2, 'DEVICE'],
  read: [3, 'READ'],
} as const;

function ackOf({ status }: WebhookMessage): { readonly ack: number; readonly ackName: string } {
  const [ack, ackName] = ACKS[status];
  return { ack, ackName };
}

/** WAHA distinguishes receipts of groups from those of chats with one person. */
function ackEvent({ group_id }: WebhookMessage): string {
  return group_id === null ? 'message.ack' : 'message.ack.group';
}

function ackPayload(message: WebhookMessage): object {
  const chat = chatId(chatOf(message));
  return {
    id: messageId(message),
    from: chat,
    to: chat,
    participant: null,
    fromMe: true,
    ...ackOf(message),
    ...(message.error === null ? {} : { error: { code: message.error.code, blocked: false } }),
  };
}

function reactionPayload(eventId: string, message: WebhookMessage, reaction: WebhookReaction): object {
  const chat = chatOf(message);
  return {
    id: `${reaction.own}_${chatId(chat)}_${eventId}`,
    timestamp: seconds(reaction.at ?? message.created_at),
    from: chatId(chat),
    fromMe: reaction.own,
    to: null,
    participant: message.group_id === null ? null : chatId(personOf(reaction.contact)),
    reaction: { text: reaction.emoji ?? '', messageId: messageId(message) },
  };
}

const STATUSES = {
  created: 'STOPPED',
  connecting: 'STARTING',
  qr_required: 'SCAN_QR_CODE',
  connected: 'WORKING',
  disconnected: 'STOPPED',
  logged_out: 'FAILED',
  error: 'FAILED',
} as const;

function statusPayload(instance: WebhookInstance, context: Context, timestamp: number): object {
  const status = STATUSES[instance.status];
  return { name: context.sessionOf(instance.id), status, statuses: [{ status, timestamp }], data: null };
}

function meOf({ phone_number, profile_name }: WebhookInstance): object | undefined {
  return phone_number === undefined
    ? undefined
    : { id: `${phone_number}@c.us`, pushName: profile_name ?? '' };
}

function messageId(message: WebhookMessage): string {
  return `${message.direction === 'outbound'}_${chatId(chatOf(message))}_${message.id}`;
}

function chatId(counterpart: Counterpart | null): string | null {
  return counterpart === null ? null : jidOf(counterpart, 'c.us');
}
