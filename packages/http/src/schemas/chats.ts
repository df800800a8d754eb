import { MESSAGE_DIRECTIONS, MESSAGE_STATUSES, MESSAGE_TYPES } from '@trunkline/core/spi/http';
import type { ChatResource } from '@trunkline/core';
import * as z from 'zod';
import { exactSchema } from './exact-schema.ts';
import { id, timestamp } from './fields.ts';
import { contact } from './messages.ts';
import { pageOfLinks } from './page.ts';
import { page } from './response-body.ts';
import type { Resource, ResponseBody } from './response-body.ts';

export const chat: Resource<ChatResource> = {
  name: 'Chat',
  schema: exactSchema<ChatResource>()(
    z.strictObject({
      instance_id: id('ins'),
      counterpart: z.string().meta({
        description:
          'What to list the messages of the chat by, and to send to: the id of the contact or of the group, or the number, digits only.',
      }),
      group_id: id('grp').nullable().meta({ description: 'Null if it is the chat with a person.' }),
      contact,
      phone_number: z.string().nullable().meta({
        description: 'Digits only. Null in a group, and while the network hides the number.',
      }),
      name: z.string().nullable().meta({ description: 'Of the person or the group, if it is known.' }),
      last_message: z.strictObject({
        id: id('msg'),
        direction: z.enum(MESSAGE_DIRECTIONS),
        type: z.enum(MESSAGE_TYPES),
        status: z.enum(MESSAGE_STATUSES),
        excerpt: z.string().nullable().meta({
          description: 'The beginning of the text or the caption, in one line of at most 100 characters.',
        }),
        created_at: timestamp,
      }),
    }),
  ),
  example: {
    instance_id: 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c',
    counterpart: '15550101234',
    group_id: null,
    contact: null,
    phone_number: '15550101234',
    name: null,
    last_message: {
      id: 'msg_01kaj2r7d1f4g6h8j0k3m5n7p9',
      direction: 'outbound',
      type: 'text',
      status: 'read',
      excerpt: 'Your order is on its way.',
      created_at: '2026-11-20T21:20:00.123+00:00',
    },
  },
};

export const chatPage: ResponseBody = page(chat, 'A page of chats', pageOfLinks('chats'));
