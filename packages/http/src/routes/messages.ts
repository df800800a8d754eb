import {
  actionQuery,
  editInput,
  eventPageQuery,
  invalid,
  messageInput,
  messageQuery,
  reactionInput,
  voteQuery,
  scheduledQuery,
  SENDABLE_KINDS,
  unwrap,
} from '@trunkline/core/spi/http';
import type { SendInput } from '@trunkline/core';
import * as z from 'zod';
import { data } from '../route-response.ts';
import { downloadResponse } from '../download.ts';
import { isForm } from '../form-body.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';
import { pageResponse } from '../page-links.ts';
import type { JsonObject } from '../request-body.ts';
import { eventPage } from '../schemas/events.ts';
import { messageStanding } from '../schemas/message-standing.ts';
import { actionPage, messageAction } from '../schemas/message-actions.ts';
import { votePage } from '../schemas/votes.ts';
import { message, messagePage, scheduledPage } from '../schemas/messages.ts';
import { PAGE_PARAMETERS } from '../schemas/page.ts';
import { one } from '../schemas/response-body.ts';
import { sendForm } from '../send-form.ts';
import { keyOf, withReplay } from './idempotency.ts';
import { unchecked } from './route.ts';
import type { RequestBody, RouteDefinition, RouteGroup } from './route.ts';

/** Ids that do not exist. */
const NO_INSTANCE = 'ins_01k9z000000000000000000000';
const NO_GROUP = 'grp_01k9z000000000000000000000';

const SENDER: JsonSchema = { description: 'The id of the instance that sends.' };
const RECIPIENT: JsonSchema = {
  description: 'A phone number, formatted or not, the id of a group, or that of a contact (`con_…`).',
};
const REPLY: JsonSchema = {
  description: 'The id of a message in the same chat, which the recipient sees quoted.',
};
const SEND_AT: JsonSchema = {
  description:
    'When to send the message: a time with its zone, at most 30 days ahead. Without it, and up to a minute after that time, the message is sent immediately. Beyond the specification.',
};

const MENTIONS: JsonSchema = {
  description:
    'The people whom the text or the caption mentions: phone numbers and ids of contacts (`con_…`), in a form separated by commas. The text has each as `@` and the digits of the number, or `@` and the id.',
};

const sendable = Object.entries(SENDABLE_KINDS).map(([kind, { sending }]) => ({ kind, ...sending }));
const sentAsJson = sendable.filter(({ hasFile }) => !hasFile);
const sentAsForm = sendable.filter(({ hasFile }) => hasFile);

const INPUT: RequestBody = {
  name: 'MessageInput',
  schemas: [messageInput],
  alternatives: sentAsJson.map(({ input }) => input),
  fields: {
    instance: SENDER,
    to: RECIPIENT,
    type: { ...oneOf(sentAsJson, 'type'), description: 'May be left out with `kind`.' },
    kind: {
      ...oneOf(sentAsJson, 'kind'),
      description:
        'The kind, if it is finer than `type`: with `payload` instead of `text`. Beyond the specification.',
    },
    payload: {
      description:
        'The fields of the kind, in the shape of received messages: of a location, of contacts or of a poll.',
    },
    reply_to: REPLY,
    send_at: SEND_AT,
    text: { description: 'At least one character is not white space. Required without `kind`.' },
    mentions: MENTIONS,
    link_preview: {
      description:
        'Whether the recipient sees a preview of the first link, which the service fetches. True needs the setting `LINK_PREVIEWS`; without this field, that setting decides.',
    },
    voice: { description: 'Only a message of the type audio can be a recorded voice message.' },
  },
  example: {
    instance: 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c',
    to: '+1 (555) 010-1234',
    type: 'text',
    text: 'Your order is on its way.',
  },
  form: {
    name: 'MediaMessageInput',
    isForm: true,
    schemas: [messageInput],
    alternatives: sentAsForm.map(({ input }) => input),
    fields: {
      instance: SENDER,
      to: RECIPIENT,
      type: { ...oneOf(sentAsForm, 'type'), description: 'May be left out with `kind`.' },
      kind: {
        ...oneOf(sentAsForm, 'kind'),
        description:
          'The kind, if it is finer than `type`: a sticker, whose type is `image`. Beyond the specification.',
      },
      text: false, // refused together with a file
      mentions: MENTIONS,
      reply_to: REPLY,
      send_at: SEND_AT,
      voice: {
        description: 'With the type audio: a recorded voice message. The file must be Opus in Ogg.',
      },
      filename: {
        description: 'What the recipient sees; by default the name that the file came with, or one is made.',
      },
      file: {
        type: 'string',
        format: 'binary',
        description:
          'Must not be empty. Its bytes say what it is. A document whose bytes do not identify its format has the type of its part (`Content-Type`), or that of the extension of its name. At most 5 MB for an image, 16 MB for audio and video, 100 MB for a document. A sticker is WebP of at most 1 MB.',
      },
    },
    required: ['file'],
  },
};

const MESSAGE = one(message, 'The message');

const ACTION = one(messageAction, 'The action');

/** The parts that all routes that queue an action have in common. */
const ACTING: Pick<RouteDefinition, 'success' | 'replay' | 'errors'> = {
  success: { status: 202, body: ACTION },
  replay: { status: 200, body: ACTION, description: 'The action that the same request queued before' },
  errors: [
    'INVALID_MESSAGE_STATE',
    'UNSUPPORTED_MESSAGE_TYPE',
    'INSTANCE_NOT_FOUND',
    'INSTANCE_NOT_CONNECTED',
    'GATEWAY_UNAVAILABLE',
    'IDEMPOTENCY_KEY_REUSED',
    'SUBSCRIPTION_REQUIRED',
    'SUBSCRIPTION_PAST_DUE',
    'SEND_BACKLOG',
  ],
};

export const messageRoutes: RouteGroup<'messages'> = {
  tag: {
    name: 'Messages',
    description:
      'Messages are queued to phone numbers, contacts and groups, listed and read, and cancelled until they are due.',
  },
  id: { name: 'message', description: 'The id of a message (`msg_…`).', notFound: 'MESSAGE_NOT_FOUND' },
  routes: {
    list: {
      operationId: 'listMessages',
      method: 'GET',
      path: '/messages',
      summary: 'Lists messages, newest first',
      scope: 'messages:read',
      query: {
        schema: messageQuery,
        parameters: {
          instance: 'Only messages of this instance.',
          direction: 'Only messages in this direction.',
          type: 'Only messages of this type.',
          status: 'Only what has this status; of messages also a list of statuses with commas.',
          counterpart:
            'Only messages with this person, in every chat with them, or in this group: a phone number, formatted or not, the id of a contact (`con_…`), or that of a group (`grp_…`). With a filter besides that is not the instance, a page may have fewer messages than its limit, even none, and still a next one. Beyond the specification.',
          origin:
            'With `device`, only messages that were typed on the phone; with `any`, these too. By default, they are left out. Beyond the specification.',
          q: 'Words to search for, 1 to 100 characters, or the id of a message. Each word must begin a word of the text, the caption or the file name, of the name of the other side or of the group, or the number of the other side, as these were known about a second after the message came. Case and accents do not matter. A page may have fewer messages than its limit, even none, and still a next one. Beyond the specification.',
          ...PAGE_PARAMETERS,
        },
      },
      success: { status: 200, body: messagePage },
      errors: [],
      refuses: {
        INSTANCE_NOT_FOUND: { query: `instance=${NO_INSTANCE}` },
        VALIDATION_FAILED: { query: 'limit=0' },
      },
      handle: async ({ api, query, publicUrl }) =>
        pageResponse(await api.messages.list(unchecked(query)), publicUrl()),
    },
    send: {
      operationId: 'sendMessage',
      method: 'POST',
      path: '/messages',
      summary: 'Queues a message',
      scope: 'messages:send',
      body: INPUT,
      success: { status: 202, body: MESSAGE },
      // "Same key with the same request returns the original message with status 200" (specification, "POST /messages").
      replay: { status: 200, body: MESSAGE, description: 'The message that the same request queued before' },
      refuses: {
        INSTANCE_NOT_FOUND: { body: { instance: NO_INSTANCE } },
        GROUP_NOT_FOUND: { body: { to: NO_GROUP } },
        VALIDATION_FAILED: { body: { text: 5 } },
        INVALID_RECIPIENT: { body: { to: 'somebody' } },
        UNSUPPORTED_MESSAGE_TYPE: { body: { type: 'sticker' } },
        INVALID_IDEMPOTENCY_KEY: { headers: { 'Idempotency-Key': 'two words' } },
      },
      errors: [
        'IDEMPOTENCY_KEY_REUSED',
        'INSTANCE_NOT_CONNECTED',
        'GATEWAY_UNAVAILABLE',
        'INVALID_MEDIA_TYPE',
        'MEDIA_TOO_LARGE',
        'PAYLOAD_TOO_LARGE',
        'TRIAL_LIMIT_REACHED',
        'SUBSCRIPTION_REQUIRED',
        'SUBSCRIPTION_PAST_DUE',
        'SEND_BACKLOG',
      ],
      handle: async ({ api, body, c, readmit, traceparent }) => {
        const options = { idempotencyKey: c.req.header('Idempotency-Key'), traceparent };
        const sent = isForm(c.req.raw)
          ? await sendForm(api, c.req.raw, { ...options, readmit })
          : await api.messages.send(withoutFile(body), options);
        return withReplay(data(sent.message), sent.replayed);
      },
    },
    get: {
      operationId: 'getMessage',
      method: 'GET',
      path: '/messages/{message}',
      summary: 'Reads a message',
      scope: 'messages:read',
      success: { status: 200, body: MESSAGE },
      errors: [],
      handle: async ({ api, id }) => data(await api.messages.get(id)),
    },
    scheduled: {
      operationId: 'listScheduledMessages',
      method: 'GET',
      path: '/scheduled-messages',
      beyond: true,
      summary: 'Lists messages that wait for their send_at, the next one first',
      scope: 'messages:read',
      query: {
        schema: scheduledQuery,
        parameters: {
          instance: 'Only messages of this instance.',
          limit: PAGE_PARAMETERS.limit,
          cursor: PAGE_PARAMETERS.cursor,
        },
      },
      success: { status: 200, body: scheduledPage },
      errors: [],
      refuses: {
        INSTANCE_NOT_FOUND: { query: `instance=${NO_INSTANCE}` },
        VALIDATION_FAILED: { query: 'limit=0' },
      },
      handle: async ({ api, query, publicUrl }) =>
        pageResponse(await api.messages.scheduled(unchecked(query)), publicUrl()),
    },
    cancel: {
      operationId: 'cancelMessage',
      method: 'DELETE',
      path: '/messages/{message}',
      beyond: true,
      summary:
        'Cancels a message that waits for its send_at, or queues that a sent one is deleted for everyone',
      scope: 'messages:send',
      query: {
        schema: z.object({ for: z.enum(['everyone']).optional() }),
        parameters: {
          for: 'With `everyone`, a message that was sent is deleted for everyone in its chat. Without it, a message is cancelled.',
        },
      },
      success: { status: 200, body: MESSAGE },
      queues: { status: 202, body: ACTION, description: 'With `for=everyone`: the deletion' },
      errors: ACTING.errors,
      refuses: {
        VALIDATION_FAILED: { query: 'for=me' },
        INVALID_IDEMPOTENCY_KEY: {
          query: 'for=everyone',
          headers: { 'Idempotency-Key': 'two words' },
        },
      },
      handle: async ({ api, id, query, c }) => {
        const { for: whom } = query;
        if (whom === undefined) return data(await api.messages.cancel(id));
        if (whom !== 'everyone') return unwrap(invalid({ for: ['Must be everyone.'] }));
        const { action, replayed } = await api.messages.deleteForEveryone(id, keyOf(c));
        return { ...withReplay(data(action), replayed), status: 202 };
      },
    },
    standing: {
      operationId: 'getMessageStanding',
      method: 'GET',
      path: '/messages/{message}/standing',
      beyond: true,
      summary: 'Where a message stands and why, in a sentence for a person',
      scope: 'messages:read',
      success: { status: 200, body: one(messageStanding, 'Where the message stands') },
      errors: [],
      handle: async ({ api, id }) => data(await api.messages.standing(id)),
    },
    media: {
      operationId: 'downloadMedia',
      method: 'GET',
      path: '/messages/{message}/media',
      summary: 'Downloads the file of a message',
      scope: 'messages:read',
      success: { status: 200, body: 'file' },
      errors: ['MEDIA_NOT_AVAILABLE'],
      handle: async ({ api, id, c }) => downloadResponse(await api.messages.media(id), c.req.raw),
    },
    events: {
      operationId: 'listMessageEvents',
      method: 'GET',
      path: '/messages/{message}/events',
      beyond: true,
      summary: 'What has happened to a message in 30 days, newest first',
      scope: 'messages:read',
      query: {
        schema: eventPageQuery,
        parameters: {
          ...PAGE_PARAMETERS,
        },
      },
      success: { status: 200, body: eventPage },
      errors: [],
      refuses: { VALIDATION_FAILED: { query: 'limit=0' } },
      handle: async ({ api, id, query, publicUrl }) =>
        pageResponse(await api.messages.events(id, unchecked(query)), publicUrl()),
    },
    react: {
      operationId: 'reactToMessage',
      method: 'PUT',
      path: '/messages/{message}/reaction',
      beyond: true,
      summary: 'Queues a reaction to a message, which replaces the one before',
      scope: 'messages:send',
      body: {
        name: 'ReactionInput',
        schemas: [reactionInput],
        fields: { emoji: { description: 'One emoji.' } },
        example: { emoji: '👍' },
      },
      ...ACTING,
      refuses: {
        VALIDATION_FAILED: { body: { emoji: 'ok' } },
        INVALID_IDEMPOTENCY_KEY: { headers: { 'Idempotency-Key': 'two words' } },
      },
      handle: async ({ api, id, body, c }) => {
        const { action, replayed } = await api.messages.react(id, unchecked(body), keyOf(c));
        return withReplay(data(action), replayed);
      },
    },
    removeReaction: {
      operationId: 'removeReaction',
      method: 'DELETE',
      path: '/messages/{message}/reaction',
      beyond: true,
      summary: 'Queues that the reaction to a message is taken back',
      scope: 'messages:send',
      ...ACTING,
      refuses: { INVALID_IDEMPOTENCY_KEY: { headers: { 'Idempotency-Key': 'two words' } } },
      handle: async ({ api, id, c }) => {
        const { action, replayed } = await api.messages.removeReaction(id, keyOf(c));
        return withReplay(data(action), replayed);
      },
    },
    edit: {
      operationId: 'editMessage',
      method: 'PATCH',
      path: '/messages/{message}',
      beyond: true,
      summary: 'Queues an edit of a message, or changes a message that is not on its way yet',
      scope: 'messages:send',
      body: {
        name: 'EditInput',
        schemas: [editInput],
        fields: {
          text: { description: 'The new text. At least one character is not white space.' },
          caption: {
            description:
              'The new caption of a message with a file; empty to remove it. Either this or `text`.',
          },
        },
        example: { text: 'Your order arrives today.' },
      },
      ...ACTING,
      refuses: {
        VALIDATION_FAILED: { body: { caption: 'Both' } },
        INVALID_IDEMPOTENCY_KEY: { headers: { 'Idempotency-Key': 'two words' } },
      },
      handle: async ({ api, id, body, c }) => {
        const { action, replayed } = await api.messages.edit(id, unchecked(body), keyOf(c));
        return withReplay(data(action), replayed);
      },
    },
    markRead: {
      operationId: 'markMessageRead',
      method: 'POST',
      path: '/messages/{message}/read',
      beyond: true,
      summary:
        'Queues that a received message, and the unread ones before it in its chat, are marked as read',
      scope: 'messages:send',
      ...ACTING,
      refuses: { INVALID_IDEMPOTENCY_KEY: { headers: { 'Idempotency-Key': 'two words' } } },
      handle: async ({ api, id, c }) => {
        const { action, replayed } = await api.messages.markRead(id, keyOf(c));
        return withReplay(data(action), replayed);
      },
    },
    actions: {
      operationId: 'listMessageActions',
      method: 'GET',
      path: '/messages/{message}/actions',
      beyond: true,
      summary: 'Lists the actions on a message with their outcomes, newest first',
      scope: 'messages:read',
      query: {
        schema: actionQuery,
        parameters: {
          ...PAGE_PARAMETERS,
        },
      },
      success: { status: 200, body: actionPage },
      errors: [],
      refuses: { VALIDATION_FAILED: { query: 'limit=0' } },
      handle: async ({ api, id, query, publicUrl }) =>
        pageResponse(await api.messages.actions(id, unchecked(query)), publicUrl()),
    },
    votes: {
      operationId: 'listVotes',
      method: 'GET',
      path: '/messages/{message}/votes',
      beyond: true,
      summary: 'Lists the present votes in a poll, one for each person, newest first',
      scope: 'messages:read',
      query: { schema: voteQuery, parameters: { ...PAGE_PARAMETERS } },
      success: { status: 200, body: votePage },
      errors: [],
      refuses: { VALIDATION_FAILED: { query: 'limit=0' } },
      handle: async ({ api, id, query, publicUrl }) =>
        pageResponse(await api.messages.votes(id, unchecked(query)), publicUrl()),
    },
  },
};

function oneOf(kinds: typeof sendable, field: 'type' | 'kind'): JsonSchema {
  const names = [...new Set(kinds.map((one) => one[field]))];
  const [hasFile] = kinds.map((one) => one.hasFile);
  // JSON may give a field that it leaves out as null.
  return { enum: hasFile ? names : [...names, null] };
}

/** A file can only come in a form, so in JSON, the field `file` is ignored like any unknown field. */
function withoutFile(body: JsonObject): SendInput {
  const { file: _meaningless, ...rest } = body;
  return unchecked(rest);
}
