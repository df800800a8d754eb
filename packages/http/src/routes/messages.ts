import type { SendTextInput } from '@trunkline/core';
import { data, json } from '../answer.ts';
import { downloadAnswer } from '../download-answer.ts';
import { isForm } from '../form-body.ts';
import { pageFacts } from '../page-links.ts';
import type { JsonObject } from '../request-body.ts';
import { sendForm } from '../send-form.ts';
import { unchecked } from './route.ts';
import type { Route, Success } from './route.ts';

/** "Same key with the same request returns the original message with status 200" (specification, "POST /messages"). */
const REPLAY: Success = { status: 200, body: 'MessageAnswer' };

export const messageRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/messages',
    summary: 'Lists messages, newest first',
    scope: 'messages:read',
    query: ['instance', 'direction', 'type', 'status', 'limit', 'cursor'],
    success: { status: 200, body: 'MessagePage' },
    errors: ['INSTANCE_NOT_FOUND', 'VALIDATION_FAILED'],
    handle: async ({ api, query, publicUrl }) => {
      const page = await api.messages.list(unchecked(query));
      return json({ data: page.data, ...pageFacts(page, publicUrl()) });
    },
  },
  {
    method: 'POST',
    path: '/messages',
    summary: 'Queues a message',
    scope: 'messages:send',
    body: 'MessageInput',
    takesForm: true,
    success: { status: 202, body: 'MessageAnswer' },
    replay: REPLAY,
    errors: [
      'INSTANCE_NOT_FOUND',
      'GROUP_NOT_FOUND',
      'VALIDATION_FAILED',
      'INVALID_RECIPIENT',
      'UNSUPPORTED_MESSAGE_TYPE',
      'INVALID_IDEMPOTENCY_KEY',
      'IDEMPOTENCY_KEY_REUSED',
      'INSTANCE_NOT_CONNECTED',
      'INVALID_MEDIA_TYPE',
      'MEDIA_TOO_LARGE',
      'PAYLOAD_TOO_LARGE',
      'TRIAL_LIMIT_REACHED',
      'SUBSCRIPTION_REQUIRED',
      'SUBSCRIPTION_PAST_DUE',
      'SEND_BACKLOG',
    ],
    handle: async ({ api, body, c, readmit }) => {
      const options = { idempotencyKey: c.req.header('Idempotency-Key') };
      const { message, replayed } = isForm(c.req.raw)
        ? await sendForm(api, c.req.raw, { ...options, readmit })
        : await api.messages.send(withoutFile(body), options);
      const answer = data(message);
      if (!replayed) return answer;
      return { ...answer, status: 200, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } };
    },
  },
  {
    method: 'GET',
    path: '/messages/{message}',
    summary: 'Reads a message',
    scope: 'messages:read',
    success: { status: 200, body: 'MessageAnswer' },
    errors: ['MESSAGE_NOT_FOUND'],
    handle: async ({ api, id }) => data(await api.messages.get(id)),
  },
  {
    method: 'GET',
    path: '/messages/{message}/media',
    summary: 'Downloads the file of a message',
    scope: 'messages:read',
    success: { status: 200, body: 'File' },
    errors: ['MESSAGE_NOT_FOUND', 'MEDIA_NOT_AVAILABLE'],
    handle: async ({ api, id, c }) => downloadAnswer(await api.messages.media(id), c.req.raw),
  },
];

/** A file comes in a form alone: in JSON the name means nothing, as any unknown field. */
function withoutFile(body: JsonObject): SendTextInput {
  return unchecked(Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'file')));
}
