import type { MessageActionResource } from '@trunkline/core';
import { ACTION_KINDS, ACTION_STATUSES } from '@trunkline/core/spi/http';
import * as z from 'zod';
import { exactSchema } from './exact-schema.ts';
import { id, timestamp, timestampOrNull } from './fields.ts';
import { message } from './messages.ts';
import { pageOfLinks } from './page.ts';
import { page } from './response-body.ts';
import type { Resource, ResponseBody } from './response-body.ts';

export const messageAction: Resource<MessageActionResource> = {
  name: 'MessageAction',
  schema: exactSchema<MessageActionResource>()(
    z.strictObject({
      id: id('act'),
      instance_id: id('ins'),
      message_id: id('msg'),
      kind: z.enum(ACTION_KINDS).meta({ description: 'What it does to the message.' }),
      emoji: z.string().nullable().meta({
        description: 'The emoji of a reaction; null if it takes the reaction back, and for other kinds.',
      }),
      text: z.string().nullable().meta({
        description:
          'The text or caption after an edit, empty if the edit removes the caption; null for other kinds, and once the message was deleted.',
      }),
      status: z.enum(ACTION_STATUSES),
      error: z
        .strictObject({ code: z.string(), message: z.string() })
        .nullable()
        .meta({ description: 'Why it failed. With `send_outcome_unknown` it may have been carried out.' }),
      created_at: timestamp,
      sent_at: timestampOrNull.meta({
        description:
          'When the network accepted it, or when it changed a message that was not on its way yet.',
      }),
      failed_at: timestampOrNull,
    }),
  ),
  example: {
    id: 'act_01kaj2s6v8x0z2b4d6f8h0j2k4',
    instance_id: 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c',
    message_id: message.example.id,
    kind: 'reaction',
    emoji: '👍',
    text: null,
    status: 'queued',
    error: null,
    created_at: '2026-11-20T21:21:10.123+00:00',
    sent_at: null,
    failed_at: null,
  },
};

export const actionPage: ResponseBody = page(messageAction, 'A page of actions', pageOfLinks('actions'));
