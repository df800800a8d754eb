import { MESSAGE_DIRECTIONS, MESSAGE_STATUSES, MESSAGE_TYPES } from '@trunkline/core/spi/http';
import type { MessageResource } from '@trunkline/core';
import * as z from 'zod';
import { exactSchema } from './exact-schema.ts';
import { count, id, timestamp, timestampOrNull } from './fields.ts';
import { pageOfLinks } from './page.ts';
import { kind, payload } from './message-payloads.ts';
import { page } from './response-body.ts';
import type { Resource, ResponseBody } from './response-body.ts';

const media = z
  .strictObject({
    available: z.boolean().meta({
      description:
        'Whether the file can be downloaded. For a received message, this may become true within 24 hours: `message.media_available`.',
    }),
    mime_type: z.string(),
    size: count.nullable().meta({ description: 'In bytes.' }),
    filename: z.string(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable(),
  })
  .nullable();

/** A person; null if unknown. */
export const contact: z.ZodType<MessageResource['contact']> = z
  .strictObject({
    id: id('con'),
    name: z.string().nullable(),
    phone_number: z
      .string()
      .nullable()
      .meta({ description: 'Digits only. Null while the network hides it.' }),
    dialled_numbers: z.array(z.string()).meta({
      description:
        "Other numbers, digits only, that messages to this person were sent to, such as one with Brazil's ninth digit.",
    }),
    username: z.string().nullable(),
  })
  .nullable();

const error = z.strictObject({ code: z.string(), message: z.string() }).nullable().meta({
  description:
    'Why the message failed. With `send_outcome_unknown`, it may have arrived. With `network_busy` and `recipient_unreachable`, the network did not take it for four hours, and it was not sent. With `cancelled`, it was cancelled before it was due.',
});

export const message: Resource<MessageResource> = {
  name: 'Message',
  schema: exactSchema<MessageResource>()(
    z.strictObject({
      id: id('msg'),
      instance_id: id('ins'),
      direction: z.enum(MESSAGE_DIRECTIONS),
      type: z.enum(MESSAGE_TYPES),
      status: z.enum(MESSAGE_STATUSES),
      to: z
        .string()
        .nullable()
        .meta({ description: "The recipient's number, digits only. Null in a group." }),
      from: z.string().nullable().meta({
        description: "The sender's number, in a group the writer's. Null if the network hides it.",
      }),
      group_id: id('grp').nullable(),
      contact: contact.meta({
        description: 'Who wrote an inbound message, or whom an outbound one was addressed to by its id.',
      }),
      reply_to: id('msg')
        .nullable()
        .meta({ description: 'The message that this one replies to, if it is stored.' }),
      kind,
      payload,
      origin: z.enum(['api', 'device']).nullable().meta({
        description: 'What an outbound message was sent with: this API, or the phone. Null if it is inbound.',
      }),
      text: z.string().nullable(),
      caption: z.string().nullable(),
      media,
      send_at: timestamp.exactOptional().meta({
        description: 'When the message is to be sent. Only in a message that was sent with this field.',
      }),
      error,
      created_at: timestamp,
      queued_at: timestampOrNull,
      sent_at: timestampOrNull,
      delivered_at: timestampOrNull,
      read_at: timestampOrNull.meta({
        description:
          'When the recipient read an outbound message, or when an inbound one was marked as read. Beyond the specification for inbound messages.',
      }),
      failed_at: timestampOrNull,
      received_at: timestampOrNull,
      edited_at: timestampOrNull,
      deleted_at: timestampOrNull,
    }),
  ),
  example: {
    id: 'msg_01kaj2r7d1f4g6h8j0k3m5n7p9',
    instance_id: 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c',
    direction: 'outbound',
    type: 'text',
    status: 'queued',
    to: '15550101234',
    from: '15550100',
    group_id: null,
    contact: null,
    reply_to: null,
    kind: 'text',
    payload: null,
    origin: 'api',
    text: 'Your order is on its way.',
    caption: null,
    media: null,
    error: null,
    created_at: '2026-11-20T21:20:00.123+00:00',
    queued_at: '2026-11-20T21:20:00.123+00:00',
    sent_at: null,
    delivered_at: null,
    read_at: null,
    failed_at: null,
    received_at: null,
    edited_at: null,
    deleted_at: null,
  },
};

export const messagePage: ResponseBody = page(message, 'A page of messages', pageOfLinks('messages'));

const ofScheduled = page(
  message,
  'A page of scheduled messages',
  pageOfLinks('messages', { next: 'later', previous: 'earlier' }),
);

export const scheduledPage: ResponseBody = {
  ...ofScheduled,
  name: 'ScheduledMessagePage',
  example: {
    ...ofScheduled.example,
    data: [{ ...message.example, send_at: '2026-12-24T17:00:00.000+00:00' }],
  },
};
