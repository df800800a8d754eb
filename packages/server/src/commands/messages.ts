import type { EditInput, MessageActionResource, MessageQuery, MessageResource } from '@trunkline/http/client';
import { printable } from '../terminal/printable.ts';
import type { Call, CommandHandler } from './command.ts';
import { requireConfirmation } from './confirm.ts';
import { readStory, storyText } from './message-story.ts';
import { writeNewFile } from '../files/new-file.ts';
import { objectCommand, pagesCommand } from './plain-commands.ts';
import { accepted, remoteService } from './remote-service.ts';
import { action, anActionOn, anyObject, message, theOne, vote } from './service-shapes.ts';
import { statusText } from '../terminal/status-text.ts';
import { joinTexts } from '../terminal/styled-text.ts';
import type { Text } from '../terminal/styled-text.ts';
import { facts } from '../terminal/table.ts';

export const listMessages: CommandHandler = pagesCommand({
  shape: message,
  page: ({ messages }, page, call) => messages.list({ ...filtersIn(call), ...page }, call),
  columns: {
    id: (one) => one.id,
    at: (one) => one.created_at,
    direction: (one) => one.direction,
    status: (one) => statusText(one.status),
    with: counterpartOf,
    text: { freeText: (one) => one.text ?? one.caption ?? one.media?.filename ?? '' },
  },
});

/** The casts are safe because the service validates the filters. */
function filtersIn({ options }: Call): MessageQuery {
  return {
    instance: options.text('instance'),
    direction: options.text('direction') as MessageQuery['direction'],
    type: options.text('type') as MessageQuery['type'],
    status: options.text('status'),
    counterpart: options.text('counterpart'),
    origin: options.text('origin') as MessageQuery['origin'],
    q: options.text('q'),
  };
}

export const listScheduled: CommandHandler = pagesCommand({
  shape: message,
  page: ({ messages }, { limit, cursor }, call) =>
    messages.scheduled({ instance: call.options.text('instance'), limit, cursor }, call),
  columns: {
    id: (one) => one.id,
    'send at': (one) => one.send_at ?? '',
    to: counterpartOf,
    text: { freeText: (one) => one.text ?? one.caption ?? one.media?.filename ?? '' },
  },
});

export const cancelMessage: CommandHandler = objectCommand({
  of: 'message',
  shape: message,
  asks: (id) => `Cancel the message ${id}, so that it is never sent?`,
  request: ({ messages }, id, call) => messages.cancel(id, call),
  describe: messageFacts,
});

export const showMessage: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const id = call.argument('message');
  const { data } = await accepted(service, service.client.messages.get(id, call), theOne(message, id));
  const story = await readStory(call, service, data);
  call.output.result({ data, ...story }, joinTexts([messageFacts(data), '', storyText(story)], '\n'));
};

/** Reacts to a message, or takes the reaction back if there is no emoji. */
export const reactToMessage: CommandHandler = async (call) => {
  const { argument, options, output, signal } = call;
  const service = await remoteService(call);
  const { messages } = service.client;
  const [id, emoji] = [argument('message'), argument('emoji')];
  const how = { idempotencyKey: options.text('idempotency-key'), signal };
  const queued = emoji === '' ? messages.removeReaction(id, how) : messages.react(id, { emoji }, how);
  const { data } = await accepted(service, queued, anActionOn(id));
  output.result({ data }, actionFacts(data));
};

export const editMessage: CommandHandler = async (call) => {
  const { argument, options, output, signal } = call;
  const service = await remoteService(call);
  const [id, text, caption] = [argument('message'), argument('text'), options.text('caption')];
  const how = { idempotencyKey: options.text('idempotency-key'), signal };
  const words = { ...(text !== '' && { text }), ...(caption !== undefined && { caption }) };
  // The service refuses both, and neither.
  const queued = service.client.messages.edit(id, words as EditInput, how);
  const { data } = await accepted(service, queued, anActionOn(id));
  output.result({ data }, actionFacts(data));
};

export const deleteForEveryone: CommandHandler = async (call) => {
  const { argument, options, output, signal } = call;
  const service = await remoteService(call);
  const id = argument('message');
  await requireConfirmation(call, `Delete the message ${printable(id)} for everyone in its chat?`);
  const how = { idempotencyKey: options.text('idempotency-key'), signal };
  const { data } = await accepted(
    service,
    service.client.messages.deleteForEveryone(id, how),
    anActionOn(id),
  );
  output.result({ data }, actionFacts(data));
};

export const markRead: CommandHandler = async (call) => {
  const { argument, options, output, signal } = call;
  const service = await remoteService(call);
  const id = argument('message');
  const how = { idempotencyKey: options.text('idempotency-key'), signal };
  const { data } = await accepted(service, service.client.messages.markRead(id, how), anActionOn(id));
  output.result({ data }, actionFacts(data));
};

export const listActions: CommandHandler = pagesCommand({
  shape: action,
  page: ({ messages }, page, call) => messages.actions(call.argument('message'), page, call),
  columns: {
    id: (one) => one.id,
    at: (one) => one.created_at,
    kind: (one) => one.kind,
    emoji: (one) => one.emoji ?? '–',
    text: { freeText: (one) => one.text ?? '' },
    status: (one) => statusText(one.status),
    error: { freeText: (one) => one.error?.message ?? '' },
  },
});

export const listVotes: CommandHandler = pagesCommand({
  shape: vote,
  page: ({ messages }, page, call) => messages.votes(call.argument('message'), page, call),
  columns: {
    at: (one) => one.at ?? '–',
    by: {
      freeText: ({ own, contact }) => (own ? 'this number' : (contact?.name ?? contact?.phone_number ?? '')),
    },
    contact: (one) => one.contact?.id ?? '–',
    chose: { freeText: (one) => one.options.join(', ') || '–' },
  },
});

function actionFacts(data: MessageActionResource): Text {
  return facts({
    action: data.id,
    message: data.message_id,
    status: statusText(data.status),
    kind: data.kind,
    emoji: data.emoji,
    text: data.text,
    error: data.error && `${data.error.message} (${data.error.code})`,
    created: data.created_at,
    sent: data.sent_at,
    failed: data.failed_at,
  });
}

/** Writes the message's file to a new file; never overwrites one. */
export const downloadMedia: CommandHandler = async (call) => {
  const id = call.argument('message');
  const path = call.argument('path');
  const service = await remoteService(call);
  const { content, mimeType } = await accepted(service, service.client.messages.media(id, call), anyObject);
  const size = await writeNewFile({ path, content, signal: call.signal });
  call.output.result(
    { data: { message: id, path, size, mime_type: mimeType } },
    printable(`${path}: ${size} bytes, ${mimeType}`),
  );
};

export function messageFacts(data: MessageResource): Text {
  const { contact } = data;
  return facts({
    message: data.id,
    instance: data.instance_id,
    status: statusText(data.status),
    [data.direction === 'inbound' ? 'from' : 'to']: counterpartOf(data),
    contact: contact && [contact.name, contact.id].filter((part) => part !== null).join(', '),
    type: data.type,
    kind: data.kind,
    text: data.text ?? data.caption,
    'replies to': data.reply_to,
    file: data.media && data.media.filename,
    ...(data.send_at !== undefined && { 'send at': data.send_at }),
    error: data.error && `${data.error.message} (${data.error.code})`,
    created: data.created_at,
    sent: data.sent_at,
    delivered: data.delivered_at,
    read: data.read_at,
    failed: data.failed_at,
  });
}

/** The recipient to name in `send` for a reply. */
function counterpartOf({ direction, from, to, group_id: group, contact }: MessageResource): string {
  return group ?? (direction === 'inbound' ? from : to) ?? contact?.id ?? '–';
}
