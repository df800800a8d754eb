import type { WorkspaceApi } from '@trunkline/core';
import type { WebhookEvent, WebhookMessage } from '@trunkline/receiver';
import type { ChatwootApi, ChatwootStatus, Person } from './chatwoot-api.ts';
import type { Links } from './links.ts';

export interface ToChatwootParts {
  readonly api: WorkspaceApi;
  readonly instance: string;
  readonly chatwoot: ChatwootApi;
  readonly links: Links;
  /** The sends in flight for agents' messages. A message gets its link only when its send completes. */
  readonly sending: ReadonlySet<Promise<unknown>>;
}

/** Rejects if Chatwoot is unreachable: Trunkline then delivers the event again later. */
export function toChatwoot(parts: ToChatwootParts): (event: WebhookEvent) => Promise<void> {
  return async (event) => {
    if (!('message' in event.data) || event.data.message.instance_id !== parts.instance) return;
    const { message } = event.data;
    switch (event.type) {
      case 'message.received':
      case 'message.echo':
        return bring(parts, message, message.id);
      case 'message.media_available':
        // The message is already in Chatwoot, without its file.
        return bring(parts, message, `${message.id}:file`);
      case 'message.delivered':
        return report(parts, message, 'delivered');
      case 'message.read':
        return report(parts, message, 'read');
      case 'message.failed':
        return report(parts, message, 'failed');
      default:
        return;
    }
  };
}

/** Creates a message, unless an earlier attempt has left a link or a message with this source id. */
async function bring(parts: ToChatwootParts, message: WebhookMessage, sourceId: string): Promise<void> {
  const { chatwoot, links } = parts;
  if (links.find(sourceId) !== undefined) return;
  const person = await counterpartOf(parts, message);
  if (person === undefined) return;
  const contact = await chatwoot.contactOf(person);
  const conversation = await chatwoot.conversationWith(contact, person.identifier);
  const created =
    (await chatwoot.findMessage(conversation, sourceId)) ??
    (await chatwoot.createMessage(conversation, {
      type: message.direction === 'inbound' ? 'incoming' : 'outgoing',
      content: contentOf(message, sourceId),
      sourceId,
      file: await fileOf(parts, message),
      inReplyTo: message.reply_to === null ? undefined : links.find(message.reply_to)?.id,
    }));
  links.add(sourceId, created);
}

/** The other side of the chat, which may be a group; undefined if the network does not name it. */
async function counterpartOf(
  { api, instance }: ToChatwootParts,
  { group_id: groupId, contact, from, to, direction }: WebhookMessage,
): Promise<Person | undefined> {
  if (groupId !== null) {
    const { data: groups } = await api.instances.groups(instance);
    const name = groups.find(({ id }) => id === groupId)?.name ?? 'Group';
    return { identifier: groupId, name, phoneNumber: null };
  }
  const phoneNumber = contact?.phone_number ?? (direction === 'inbound' ? from : to);
  const identifier = contact?.id ?? phoneNumber;
  if (identifier === null) return undefined;
  return { identifier, name: contact?.name ?? phoneNumber ?? 'Unknown', phoneNumber };
}

function contentOf(
  { text, caption, contact, group_id: groupId, media, direction, type }: WebhookMessage,
  sourceId: string,
): string {
  const isLateFile = sourceId.endsWith(':file');
  const missing = media?.available === false ? `[${type}: the file is not available yet]` : '';
  const content = [isLateFile ? '' : (text ?? caption ?? ''), missing]
    .filter((part) => part !== '')
    .join('\n');
  if (groupId === null || direction === 'outbound') return content;
  return `**${contact?.name ?? contact?.phone_number ?? 'Somebody'}:** ${content}`.trim();
}

async function fileOf({ api }: ToChatwootParts, { id, media }: WebhookMessage): Promise<File | undefined> {
  if (media?.available !== true) return undefined;
  const { open, filename, mimeType } = await api.messages.media(id);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of await open()) chunks.push(new Uint8Array(chunk));
  return new File(chunks, filename, { type: mimeType });
}

/** For messages that agents sent. A message without a link is not in Chatwoot. */
async function report(
  { chatwoot, links, sending }: ToChatwootParts,
  { id, error }: WebhookMessage,
  status: ChatwootStatus,
): Promise<void> {
  await Promise.allSettled(sending);
  const message = links.find(id);
  if (message === undefined) return;
  const reason = status === 'failed' && error !== null ? `${error.code}: ${error.message}` : undefined;
  await chatwoot.updateStatus(message, status, reason);
}
