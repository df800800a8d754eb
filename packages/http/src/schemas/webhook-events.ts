import { EVENT_TYPES } from '@trunkline/core/spi/http';
import type { MessageResource } from '@trunkline/core';
import type { EventData, EventType } from '@trunkline/core/spi/http';
import * as z from 'zod';
import { ADA, BY_ADA, deed } from './deeds.ts';
import { exactSchema } from './exact-schema.ts';
import { id } from './fields.ts';
import { eventInstance } from './instances.ts';
import { messageAction } from './message-actions.ts';
import { contact, message } from './messages.ts';
import type { Resource } from './response-body.ts';
import { vote } from './votes.ts';

export interface EventBody extends Resource {
  readonly type: EventType;
  readonly schema: EventSchema;
  readonly example: object;
}

export type EventSchema = z.ZodObject<{ readonly type: z.ZodLiteral<EventType> }>;

/** "A JSON object with exactly five fields" (specification, "Request the receiver gets"). */
function eventBody(type: EventType): EventBody {
  const { schema: data, example } = EVENT_DATA[type];
  return {
    type,
    name: `${pascalCase(type)}Event`,
    schema: z.strictObject({
      id: id('evt').meta({ description: 'The same on every retry and at every endpoint.' }),
      type: z.literal(type),
      created_at: eventTime,
      workspace_id: id('ten'),
      data,
    }),
    example: {
      id: 'evt_01kaj2t1a3c5e7g9j2m4p6r8t0',
      type,
      created_at: '2026-11-20T21:20:59.000000Z',
      workspace_id: 'ten_01kaj2mwq0fz3as2h8v9c5t1rd',
      data: example,
    },
  };
}

/** `message.media_available` is `MessageMediaAvailable`. */
export function pascalCase(type: EventType): string {
  return type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const eventTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .meta({ format: 'date-time', description: 'UTC with microseconds. Events may arrive out of order.' });

interface DataDefinition<Data> {
  readonly schema: z.ZodType<Data>;
  readonly example: Data;
}

const messageData = exactSchema<EventData<'message.received'>>()(z.strictObject({ message: message.schema }));
const instanceData = exactSchema<EventData<'instance.connected'>>()(
  z.strictObject({ instance: eventInstance.schema }),
);

/** The place and author of an event without a message. */
const place = {
  instance_id: id('ins'),
  contact: contact.meta({ description: 'Who did it, if the network says who.' }),
  group_id: id('grp').nullable(),
};

const SENT: MessageResource = {
  ...message.example,
  status: 'sent',
  sent_at: '2026-11-20T21:20:00.456+00:00',
};
const DELIVERED: MessageResource = {
  ...SENT,
  status: 'delivered',
  delivered_at: '2026-11-20T21:20:01.012+00:00',
};
const RECEIVED: MessageResource = {
  ...message.example,
  direction: 'inbound',
  status: 'received',
  from: ADA.phone_number,
  to: '15550100',
  contact: ADA,
  origin: null,
  text: 'Thank you!',
  queued_at: null,
  sent_at: '2026-11-20T21:20:58.000+00:00',
  received_at: '2026-11-20T21:20:59.000+00:00',
};
const POLL: MessageResource = {
  ...DELIVERED,
  text: 'Poll: When do you have time? (Thursday, Friday)',
  kind: 'poll',
  payload: { question: 'When do you have time?', options: ['Thursday', 'Friday'], multiple: false },
};

const EVENT_DATA: { readonly [Type in EventType]: DataDefinition<EventData<Type>> } = {
  'message.received': { schema: messageData, example: { message: RECEIVED } },
  'message.sent': { schema: messageData, example: { message: SENT } },
  'message.delivered': { schema: messageData, example: { message: DELIVERED } },
  'message.read': {
    schema: messageData,
    example: { message: { ...DELIVERED, status: 'read', read_at: '2026-11-20T21:20:30.789+00:00' } },
  },
  'message.failed': {
    schema: messageData,
    example: {
      message: {
        ...message.example,
        status: 'failed',
        failed_at: '2026-11-20T21:20:00.456+00:00',
        error: { code: 'recipient_refused', message: 'The network refused the recipient.' },
      },
    },
  },
  'instance.connected': { schema: instanceData, example: { instance: eventInstance.example } },
  'instance.disconnected': {
    schema: instanceData,
    example: {
      instance: {
        ...eventInstance.example,
        status: 'logged_out',
        paired: false,
        last_error: 'logged_out_from_phone',
        disconnected_at: '2026-11-20T21:20:59.000+00:00',
      },
    },
  },
  'instance.qr_required': {
    schema: instanceData,
    example: { instance: { id: eventInstance.example.id, name: 'Support', status: 'qr_required' } },
  },
  'instance.error': {
    schema: instanceData,
    example: { instance: { ...eventInstance.example, status: 'error', last_error: 'banned' } },
  },
  'webhook.test': {
    schema: exactSchema<EventData<'webhook.test'>>()(
      z.strictObject({
        webhook: z.strictObject({ id: id('wh'), url: z.string(), description: z.string().nullable() }),
      }),
    ),
    example: {
      webhook: {
        id: 'wh_01kaj2s2c4e6g8j1m3p5r7t9v0',
        url: 'https://hooks.example.com/in',
        description: 'Orders',
      },
    },
  },
  'message.echo': {
    schema: messageData,
    example: { message: { ...SENT, origin: 'device', queued_at: null } },
  },
  'message.reaction': {
    schema: exactSchema<EventData<'message.reaction'>>()(
      z.strictObject({
        message: message.schema,
        reaction: z.strictObject({
          emoji: z.string().nullable().meta({ description: 'Null if the reaction was taken back.' }),
          ...deed,
        }),
      }),
    ),
    example: { message: DELIVERED, reaction: { emoji: '👍', ...BY_ADA } },
  },
  'message.poll_voted': {
    schema: exactSchema<EventData<'message.poll_voted'>>()(
      z.strictObject({ message: message.schema, vote: vote.schema }),
    ),
    example: { message: POLL, vote: vote.example },
  },
  'message.edited': {
    schema: exactSchema<EventData<'message.edited'>>()(
      z.strictObject({ message: message.schema, edit: z.strictObject(deed) }),
    ),
    example: {
      message: { ...RECEIVED, text: 'Thank you very much!', edited_at: '2026-11-20T21:20:59.000+00:00' },
      edit: BY_ADA,
    },
  },
  'message.deleted': {
    schema: exactSchema<EventData<'message.deleted'>>()(
      z.strictObject({ message: message.schema, deletion: z.strictObject(deed) }),
    ),
    example: {
      message: { ...RECEIVED, text: null, deleted_at: '2026-11-20T21:20:59.000+00:00' },
      deletion: BY_ADA,
    },
  },
  'message.action_failed': {
    schema: exactSchema<EventData<'message.action_failed'>>()(
      z.strictObject({ message: message.schema, action: messageAction.schema }),
    ),
    example: {
      message: RECEIVED,
      action: {
        ...messageAction.example,
        status: 'failed',
        error: { code: 'recipient_refused', message: 'The network refused the recipient.' },
        failed_at: '2026-11-20T21:21:11.456+00:00',
      },
    },
  },
  'message.undecryptable': {
    schema: exactSchema<EventData<'message.undecryptable'>>()(
      z.strictObject({
        undecryptable: z.strictObject({
          ...place,
          reason: z.enum(['no_key', 'view_once']).meta({
            description:
              '`view_once`: the network shows it on the phone only. `no_key`: its sender was asked to send it again, without success.',
          }),
          sent_at: deed.at,
        }),
      }),
    ),
    example: {
      undecryptable: {
        instance_id: eventInstance.example.id,
        contact: ADA,
        group_id: null,
        reason: 'view_once',
        sent_at: BY_ADA.at,
      },
    },
  },
  'message.media_available': {
    schema: messageData,
    example: {
      message: {
        ...RECEIVED,
        type: 'image',
        kind: 'image',
        text: null,
        media: {
          available: true,
          mime_type: 'image/jpeg',
          size: 48_213,
          filename: 'image-8s9t1w.jpg',
          sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        },
      },
    },
  },
  'message.media_updated': {
    schema: messageData,
    example: {
      message: {
        ...RECEIVED,
        type: 'image',
        kind: 'image',
        text: null,
        media: {
          available: true,
          mime_type: 'image/jpeg',
          size: 1_204_877,
          filename: 'image-8s9t1w.jpg',
          sha256: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
        },
      },
    },
  },
  'instance.passkey_required': {
    schema: instanceData,
    example: {
      instance: {
        id: eventInstance.example.id,
        name: 'Support',
        status: 'qr_required',
        last_error: 'passkey_required',
      },
    },
  },
  'call.received': {
    schema: exactSchema<EventData<'call.received'>>()(
      z.strictObject({ call: z.strictObject({ ...place, video: z.boolean(), at: deed.at }) }),
    ),
    example: {
      call: {
        instance_id: eventInstance.example.id,
        contact: ADA,
        group_id: null,
        video: false,
        at: BY_ADA.at,
      },
    },
  },
};

/** Every event type, in the order of the reference. */
export const EVENT_BODIES: readonly EventBody[] = EVENT_TYPES.map(eventBody);
