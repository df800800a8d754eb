import { MESSAGE_DIRECTIONS, MESSAGE_STATUSES, MESSAGE_TYPES, optionalField } from '@trunkline/core/spi/http';
import { RESOURCES } from '@trunkline/http/spi';
import * as z from 'zod';
import { before, cursor, idOf, limit, LONGEST_ALONE, periods } from './fields.ts';
import { listTool } from './list-tool.ts';
import { defineTool, done, hasScope } from './tool.ts';
import type { Tool } from './tool.ts';

const OF_MESSAGE = ['text', 'caption', 'payload', 'media.filename', 'contact.name', 'contact.username'];

const filters = {
  instance: optionalField(idOf('an instance (ins_…): only its messages')),
  counterpart: optionalField(z.string().min(1).max(64)).describe(
    'Only the chat with this phone number, contact (con_…) or group (grp_…).',
  ),
  direction: optionalField(z.enum(MESSAGE_DIRECTIONS)),
};

const EVENTS_WITH_MESSAGE = 20;

export const MESSAGE_TOOLS: readonly Tool[] = [
  listTool({
    name: 'list_chats',
    title: 'List chats',
    description: 'Lists the chats of an instance by their last message, newest first.',
    offeredTo: 'messages:read',
    input: { instance: idOf('the instance (ins_…)'), limit, before, cursor },
    logged: ['instance'],
    rows: RESOURCES.chat,
    untrusted: ['name', 'contact.name', 'contact.username', 'last_message.excerpt'],
    list: (api, { instance, ...page }) => api.instances.chats(instance, page),
  }),
  listTool({
    name: 'list_messages',
    title: 'List messages',
    description:
      'Lists messages, newest first. Give counterpart to read one chat. Long texts are cut: get_message has more of them.',
    offeredTo: 'messages:read',
    input: {
      ...filters,
      type: optionalField(z.enum(MESSAGE_TYPES)),
      status: optionalField(z.array(z.enum(MESSAGE_STATUSES)).min(1)).describe(
        'Only messages with one of these.',
      ),
      limit,
      before,
      cursor,
    },
    logged: ['instance', 'direction', 'type', 'status'],
    rows: RESOURCES.message,
    untrusted: OF_MESSAGE,
    list: (api, { status, ...query }) =>
      api.messages.list({ ...query, origin: 'any', status: status?.join(',') }),
  }),
  listTool({
    name: 'search_messages',
    title: 'Search messages',
    description:
      'Finds messages by words or the beginnings of words, in any order and case: in the text, the caption, the file name, or the name or number of the other side. Newest first. A page may be empty and have a next_cursor: go on with it.',
    offeredTo: 'messages:read',
    input: { text: z.string().trim().min(1).max(100), ...filters, limit, before, cursor },
    logged: ['instance', 'direction'],
    rows: RESOURCES.message,
    untrusted: OF_MESSAGE,
    list: (api, { text, ...query }) => api.messages.list({ ...query, q: text, origin: 'any' }),
  }),
  listTool({
    name: 'list_scheduled_messages',
    title: 'List scheduled messages',
    description: 'Lists the messages that wait for their send_at, the next one first.',
    offeredTo: 'messages:read',
    input: { instance: filters.instance, limit, cursor },
    logged: ['instance'],
    rows: RESOURCES.message,
    untrusted: OF_MESSAGE,
    list: (api, query) => api.messages.scheduled(query),
  }),
  defineTool({
    name: 'get_message',
    title: 'Did a message arrive?',
    description:
      'Returns a message, where it stands now in a sentence, its latest events, and which webhooks each event was delivered to.',
    offeredTo: 'messages:read',
    input: { message: idOf('the message (msg_…)') },
    logged: ['message'],
    output: {
      message: RESOURCES.message.schema,
      standing: RESOURCES.messageStanding.schema,
      events: z
        .array(
          z.strictObject({
            id: z.string(),
            type: z.string(),
            created_at: z.string(),
            deliveries: z
              .array(RESOURCES.delivery.schema)
              .nullable()
              .describe('Null if this API key may not read webhooks.'),
          }),
        )
        .describe('Newest first.'),
    },
    untrusted: OF_MESSAGE.map((field) => `message.${field}`),
    longestText: LONGEST_ALONE,
    async handle({ message: id }, use) {
      const { api } = use;
      const message = await api.messages.get(id);
      const standing = await api.messages.standing(id);
      const { data } = await api.messages.events(id, { limit: EVENTS_WITH_MESSAGE });
      const mayReadWebhooks = hasScope(use, 'webhooks:read');
      const events = [];
      for (const event of data) {
        const deliveries = mayReadWebhooks ? [...(await api.events.deliveries(event.id)).data] : null;
        events.push({ id: event.id, type: event.type, created_at: event.created_at, deliveries });
      }
      return done({ message, standing, events });
    },
  }),
  defineTool({
    name: 'get_traffic',
    title: 'Messages over time',
    description:
      'Counts the messages that were received, sent, delivered, read and failed in each hour or day, with the time until the network accepted them, for an instance or the whole workspace. Periods without messages are left out.',
    offeredTo: 'messages:read',
    input: { instance: optionalField(idOf('an instance (ins_…): only its messages')), ...periods },
    logged: ['instance', 'step'],
    output: { traffic: RESOURCES.traffic.schema.nullable() },
    untrusted: [],
    longestText: LONGEST_ALONE,
    async handle(query, { api }) {
      const { data } = await api.traffic.messages(query);
      return done({ traffic: data[0] ?? null });
    },
  }),
];
