import type { WebhookEvent, WebhookInstance, WebhookMessage } from '@trunkline/receiver';
import {
  chatOf,
  jidOf,
  ownNumberOf,
  personOf,
  sentAtSeconds,
  writerOf,
  type Counterpart,
} from '../addresses.ts';
import type { Context, Form } from '../form.ts';
import { evolutionMessage } from './evolution-message.ts';

export interface EvolutionOptions {
  /** Evolution's `webhookByEvents`: each event is posted to its own path below the URL. */
  readonly byEvents?: boolean;
  /** The value of `destination` in Evolution's webhooks. */
  readonly destination: string;
  /** The value of `server_url` in Evolution's webhooks. */
  readonly serverUrl: string;
}

/**
 * The webhooks of Evolution API. docs/coming-from/evolution-api.md names the version, and the parts without an
 * equivalent.
 */
export function evolutionForm({ byEvents = false, destination, serverUrl }: EvolutionOptions): Form {
  return {
    convert: async (event, context) =>
      (await convert(event, context)).map(({ name, instanceId, own, data }) => ({
        id: event.id,
        event: name,
        body: {
          event: name,
          instance: context.sessionOf(instanceId),
          data,
          destination,
          date_time: new Date(event.created_at).toISOString(),
          sender: own === null ? undefined : `${own}@s.whatsapp.net`,
          server_url: serverUrl,
          apikey: null,
        },
      })),
    urlOf: (webhook, url) => (byEvents ? `${url}/${webhook.event.replaceAll('.', '-')}` : url),
  };
}

interface Converted {
  readonly name: string;
  readonly instanceId: string;
  readonly own: string | null;
  readonly data: object;
}

async function convert(event: WebhookEvent, context: Context): Promise<readonly Converted[]> {
  switch (event.type) {
    case 'message.received':
    case 'message.echo':
      return ofMessage(event.data.message, { 'messages.upsert': messageData(event.data.message, context) });
    case 'message.sent':
      return ofMessage(event.data.message, {
        'send.message': messageData(event.data.message, context),
        'messages.update': updateData(event.data.message),
      });
    case 'message.delivered':
    case 'message.read':
    case 'message.failed':
      return ofMessage(event.data.message, { 'messages.update': updateData(event.data.message) });
    case 'message.reaction': {
      const { message, reaction } = event.data;
      const by = message.group_id === null ? null : personOf(reaction.contact);
      const data = {
        ...messageData(message, context),
        key: { ...keyOf(message), id: event.id, fromMe: reaction.own, ...participant(by) },
        pushName: reaction.contact?.name ?? null,
        messageType: 'reactionMessage',
        message: { reactionMessage: { key: keyOf(message), text: reaction.emoji ?? '' } },
      };
      return ofMessage(message, { 'messages.upsert': data });
    }
    case 'message.edited': {
      const { message, edit } = event.data;
      const data = {
        key: keyOf(message),
        type: 'MESSAGE_EDIT',
        editedMessage: evolutionMessage(message, context.mediaUrlOf).message,
        timestampMs: String(Date.parse(edit.at ?? event.created_at)),
      };
      return ofMessage(message, { 'messages.edited': data });
    }
    case 'message.deleted':
      return ofMessage(event.data.message, { 'messages.delete': keyOf(event.data.message) });
    case 'call.received': {
      const { call } = event.data;
      const from = jid(
        call.group_id === null ? personOf(call.contact) : { kind: 'group', id: call.group_id },
      );
      const data = {
        id: event.id,
        chatId: from,
        from: jid(personOf(call.contact)),
        date: call.at ?? event.created_at,
        offline: false,
        status: 'offer',
        isVideo: call.video,
        isGroup: call.group_id !== null,
      };
      return [{ name: 'call', instanceId: call.instance_id, own: null, data }];
    }
    case 'instance.qr_required':
      return ofQr(event.data.instance, context);
    case 'instance.connected':
      return ofInstance(event.data.instance, {
        'connection.update': {
          instance: context.sessionOf(event.data.instance.id),
          wuid: ownJid(event.data.instance),
          profileName: event.data.instance.profile_name,
          profilePictureUrl: event.data.instance.profile_picture_url ?? null,
          state: 'open',
          statusReason: 200,
        },
      });
    case 'instance.disconnected':
    case 'instance.error':
      return ofEnd(event.data.instance, context);
    default:
      return [];
  }
}

function messageData(message: WebhookMessage, context: Context): object {
  const { messageType, message: content } = evolutionMessage(message, context.mediaUrlOf);
  return {
    key: keyOf(message),
    pushName: message.direction === 'outbound' ? 'Você' : (message.contact?.name ?? null),
    status: statusOf(message),
    message: content,
    contextInfo: message.reply_to === null ? undefined : { stanzaId: message.reply_to },
    messageType,
    messageTimestamp: sentAtSeconds(message),
    instanceId: message.instance_id,
    source: 'unknown',
  };
}

function updateData(message: WebhookMessage): object {
  const { remoteJid, fromMe, id } = keyOf(message);
  const { instance_id: instanceId } = message;
  return { messageId: id, keyId: id, remoteJid, fromMe, status: statusOf(message), instanceId };
}

interface Key {
  readonly remoteJid: string | null;
  readonly fromMe: boolean;
  readonly id: string;
  readonly participant?: string;
}

function keyOf(message: WebhookMessage): Key {
  const fromMe = message.direction === 'outbound';
  return { remoteJid: jid(chatOf(message)), fromMe, id: message.id, ...participant(writerOf(message)) };
}

function participant(person: Counterpart | null): { readonly participant?: string } {
  return person === null ? {} : { participant: jidOf(person, 's.whatsapp.net') };
}

function statusOf({ status }: WebhookMessage): string {
  const names = {
    failed: 'ERROR',
    queued: 'PENDING',
    sent: 'SERVER_ACK',
    received: 'DELIVERY_ACK',
    delivered: 'DELIVERY_ACK',
    read: 'READ',
  } as const;
  return names[status];
}

async function ofQr(instance: WebhookInstance, context: Context): Promise<readonly Converted[]> {
  const qr = await context.readQr(instance.id);
  if (qr === null) return [];
  const qrcode = {
    instance: context.sessionOf(instance.id),
    pairingCode: qr.pairingCode,
    code: qr.code,
    // Evolution sends a PNG. A consumer that uses the value as the `src` of an image can also show an SVG.
    base64: `data:image/svg+xml;base64,${Buffer.from(qr.svg).toString('base64')}`,
  };
  return ofInstance(instance, { 'qrcode.updated': { qrcode } });
}

/** Evolution reports a connection that reconnects automatically as `connecting`, and any other end as `closed`. */
function ofEnd(instance: WebhookInstance, context: Context): readonly Converted[] {
  const name = context.sessionOf(instance.id);
  if (instance.status === 'connecting')
    return ofInstance(instance, {
      'connection.update': { instance: name, state: 'connecting', statusReason: 200 },
    });
  const code = instance.status === 'logged_out' ? 401 : 428;
  return ofInstance(instance, {
    'status.instance': {
      instance: name,
      status: 'closed',
      disconnectionAt: instance.disconnected_at ?? instance.status_changed_at,
      disconnectionReasonCode: code,
      disconnectionObject: JSON.stringify({ reason: instance.last_error ?? null }),
    },
    'connection.update': { instance: name, state: 'close', statusReason: code },
  });
}

function ofMessage(message: WebhookMessage, data: Readonly<Record<string, object>>): readonly Converted[] {
  return named(message.instance_id, ownNumberOf(message), data);
}

function ofInstance(instance: WebhookInstance, data: Readonly<Record<string, object>>): readonly Converted[] {
  return named(instance.id, instance.phone_number ?? null, data);
}

function named(
  instanceId: string,
  own: string | null,
  data: Readonly<Record<string, object>>,
): readonly Converted[] {
  return Object.entries(data).map(([name, each]) => ({ name, instanceId, own, data: each }));
}

function ownJid({ phone_number }: WebhookInstance): string | undefined {
  return phone_number === undefined ? undefined : `${phone_number}@s.whatsapp.net`;
}

function jid(counterpart: Counterpart | null): string | null {
  return counterpart === null ? null : jidOf(counterpart, 's.whatsapp.net');
}
