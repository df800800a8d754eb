import { createHmac } from 'node:crypto';
import type { WebhookEvent, WebhookInstance, WebhookMessage } from '@trunkline/receiver';
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
import type { Context, Form } from '../form.ts';

/** The webhooks of OpenWA. docs/coming-from/openwa.md names the version, and the parts without an equivalent. */
export function openwaForm({ secret }: { readonly secret?: string | undefined } = {}): Form {
  return {
    convert: async (event, context) =>
      (await convert(event, context)).map(({ name, instanceId, data }) => ({
        id: event.id,
        event: name,
        body: {
          event: name,
          timestamp: new Date(event.created_at).toISOString(),
          sessionId: context.sessionOf(instanceId),
          idempotencyKey: `${name}_${event.id}`,
          deliveryId: event.id,
          data,
        },
      })),
    headersOf: ({ id, event }, body) => ({
      'X-OpenWA-Event': event,
      'X-OpenWA-Idempotency-Key': `${event}_${id}`,
      'X-OpenWA-Delivery-Id': id,
      ...(secret === undefined
        ? {}
        : { 'X-OpenWA-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }),
    }),
  };
}

interface Converted {
  readonly name: string;
  readonly instanceId: string;
  readonly data: object;
}

async function convert(event: WebhookEvent, context: Context): Promise<readonly Converted[]> {
  switch (event.type) {
    case 'message.received':
      return ofMessage(event.data.message, { 'message.received': messageData(event.data.message) });
    case 'message.echo':
      return ofMessage(event.data.message, { 'message.sent': messageData(event.data.message) });
    case 'message.sent':
      return ofMessage(event.data.message, {
        'message.sent': messageData(event.data.message),
        'message.ack': ackData(event.data.message),
      });
    case 'message.delivered':
    case 'message.read':
      return ofMessage(event.data.message, { 'message.ack': ackData(event.data.message) });
    case 'message.failed':
      return ofMessage(event.data.message, {
        'message.ack': ackData(event.data.message),
        'message.failed': ackData(event.data.message),
      });
    case 'message.deleted': {
      const { message, deletion } = event.data;
      const { id, chatId, from, to } = messageData(message);
      const timestamp = seconds(deletion.at ?? event.created_at);
      const data = { id, revokedId: id, chatId, from, to, type: 'revoked', body: '', timestamp };
      return ofMessage(message, { 'message.revoked': data });
    }
    case 'call.received': {
      const { call } = event.data;
      const data = {
        callId: event.id,
        from: chatId(personOf(call.contact)),
        isVideo: call.video,
        isGroup: call.group_id !== null,
      };
      return [{ name: 'call.received', instanceId: call.instance_id, data }];
    }
    case 'instance.qr_required': {
      const { instance } = event.data;
      const qr = await context.readQr(instance.id);
      const sessionId = context.sessionOf(instance.id);
      return ofInstance(instance, {
        ...(qr === null ? {} : { 'session.qr': { sessionId, qr: qr.code } }),
        'session.status': { sessionId, status: 'qr_ready' },
      });
    }
    case 'instance.connected': {
      const { instance } = event.data;
      return ofInstance(instance, {
        'session.status': { sessionId: context.sessionOf(instance.id), status: 'ready' },
        'session.authenticated': {
          phone: instance.phone_number ?? null,
          pushName: instance.profile_name ?? null,
        },
      });
    }
    case 'instance.disconnected':
    case 'instance.error': {
      const { instance } = event.data;
      const sessionId = context.sessionOf(instance.id);
      return ofInstance(instance, {
        'session.status': { sessionId, status: instance.status === 'error' ? 'failed' : 'disconnected' },
        'session.disconnected': { reason: instance.last_error ?? 'disconnected' },
      });
    }
    default:
      return [];
  }
}

/** A message in OpenWA's form. A file is described but not included, as OpenWA does with large files. */
function messageData(message: WebhookMessage): {
  readonly id: string;
  readonly chatId: string | null;
  readonly from: string | null;
  readonly to: string | null;
} & Readonly<Record<string, unknown>> {
  const chat = chatId(chatOf(message));
  const own = ownNumberOf(message);
  const me = own === null ? null : `${own}@c.us`;
  const fromMe = message.direction === 'outbound';
  const author = writerOf(message);
  const { contact, media, payload } = message;
  return {
    id: messageId(message),
    from: fromMe ? me : chat,
    to: fromMe ? chat : me,
    chatId: chat,
    body: message.text ?? message.caption ?? '',
    type: typeOf(message),
    timestamp: sentAtSeconds(message),
    fromMe,
    isGroup: message.group_id !== null,
    ...(author === null ? {} : { author: chatId(author) }),
    ...(fromMe || contact === null
      ? {}
      : { contact: { id: chatId(personOf(contact)), number: contact.phone_number, pushName: contact.name } }),
    ...(media === null
      ? {}
      : {
          media: {
            mimetype: media.mime_type,
            filename: media.filename,
            omitted: true,
            ...(media.size === null ? {} : { sizeBytes: media.size }),
          },
        }),
    ...(message.reply_to === null ? {} : { quotedMessage: { id: message.reply_to, body: '' } }),
    ...(payload !== null && 'latitude' in payload
      ? {
          location: {
            latitude: payload.latitude,
            longitude: payload.longitude,
            description: payload.name,
            address: payload.address,
          },
        }
      : {}),
  };
}

function typeOf({ kind, type }: WebhookMessage): string {
  if (kind === 'live_location') return 'location';
  return kind === 'voice' || kind === 'sticker' || kind === 'location' || kind === 'contact' ? kind : type;
}

function ackData(message: WebhookMessage): object {
  const id = messageId(message);
  const acks = { failed: -1, queued: 0, sent: 1, received: 2, delivered: 2, read: 3 } as const;
  return { id, messageId: id, status: message.status, ack: acks[message.status] };
}

function ofMessage(message: WebhookMessage, data: Readonly<Record<string, object>>): readonly Converted[] {
  return Object.entries(data).map(([name, each]) => ({ name, instanceId: message.instance_id, data: each }));
}

function ofInstance(instance: WebhookInstance, data: Readonly<Record<string, object>>): readonly Converted[] {
  return Object.entries(data).map(([name, each]) => ({ name, instanceId: instance.id, data: each }));
}

function messageId(message: WebhookMessage): string {
  return `${message.direction === 'outbound'}_${chatId(chatOf(message))}_${message.id}`;
}

function chatId(counterpart: Counterpart | null): string | null {
  return counterpart === null ? null : jidOf(counterpart, 'c.us');
}
