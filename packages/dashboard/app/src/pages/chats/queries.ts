import { queryOptions } from '@tanstack/react-query';
import type { ChatResource, MessageResource } from '@trunkline/http/client';
import { unwrap } from '@trunkline/http/client';
import type { WebhookEvent } from '@trunkline/receiver';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { nameText } from '../../domain/name-text.ts';
import { stretchesOf } from './stretch.ts';
import type { LongList } from './stretch-query.ts';

const PAGE = 50;

const chatStretches = stretchesOf<ChatResource>({
  at: ({ last_message }) => last_message.id,
  key: ({ counterpart, last_message }) => (counterpart === '' ? last_message.id : counterpart),
});

/** The chats of a number, the one with the newest message first. */
export const chatList = (workspaceId: string, instanceId: string): LongList<ChatResource> => ({
  queryKey: keyOf(workspaceId, 'chats', 'list', instanceId),
  stretches: chatStretches,
  async read(cursor, signal) {
    const query = { limit: PAGE, ...(cursor !== null && { cursor }) };
    const page = unwrap(
      await clientOf(workspaceId).instances.chats(instanceId, query, signal ? { signal } : {}),
    );
    return { rows: page.data, newer: page.prevCursor, older: page.nextCursor };
  },
});

const SEARCHED_PAGES = 3;
const SEARCHED_PAGE = 100;

/** Searches the newest chats in the browser, because the API only lists chats by time. */
export const foundChatsQuery = (workspaceId: string, instanceId: string, find: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'chats', 'found', instanceId, find),
    queryFn: async ({ signal }) => {
      const found: ChatResource[] = [];
      let searched = 0;
      let cursor: string | null = null;
      for (let page = 0; page < SEARCHED_PAGES; page++) {
        const query: { limit: number; cursor?: string } = { limit: SEARCHED_PAGE };
        if (cursor !== null) query.cursor = cursor;
        const read = unwrap(await clientOf(workspaceId).instances.chats(instanceId, query, { signal }));
        found.push(...read.data.filter((chat) => isFound(chat, find)));
        searched += read.data.length;
        cursor = read.nextCursor;
        if (cursor === null) break;
      }
      return { found, searched, isAll: cursor === null };
    },
  });

function isFound({ name, contact, phone_number, counterpart }: ChatResource, find: string): boolean {
  const wanted = find.trim().toLocaleLowerCase();
  const digits = find.replace(/[^0-9]/g, '');
  const names = [nameText(name), nameText(contact?.username)];
  return (
    names.some((each) => each?.toLocaleLowerCase().includes(wanted) ?? false) ||
    counterpart === wanted ||
    (digits !== '' &&
      [phone_number ?? '', ...(contact?.dialled_numbers ?? [])].some((number) => number.includes(digits)))
  );
}

/** The newest messages of a number in all its chats, from which unread ones are counted. */
export const recentMessagesQuery = (workspaceId: string, instanceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'chats', 'recent', instanceId),
    queryFn: async ({ signal }) => {
      const query = { instance: instanceId, origin: 'any', limit: 100 } as const;
      return unwrap(await clientOf(workspaceId).messages.list(query, { signal })).data;
    },
  });

export interface ChatAddress {
  readonly workspaceId: string;
  readonly instanceId: string;
  /** A number, or the id of a contact or of a group. */
  readonly counterpart: string;
}

const messageStretches = stretchesOf<MessageResource>({ at: ({ id }) => id, key: ({ id }) => id });

/** The messages of a chat. */
export const thread = ({ workspaceId, instanceId, counterpart }: ChatAddress): LongList<MessageResource> => ({
  queryKey: keyOf(workspaceId, 'chats', 'thread', instanceId, counterpart),
  stretches: messageStretches,
  // Drop the messages when the user leaves the page, so that the next visit begins at the newest one.
  gcTime: 0,
  async read(cursor, signal) {
    const query = { instance: instanceId, counterpart, origin: 'any', limit: PAGE } as const;
    const page = unwrap(
      await clientOf(workspaceId).messages.list(
        { ...query, ...(cursor !== null && { cursor }) },
        signal ? { signal } : {},
      ),
    );
    return { rows: page.data, newer: page.prevCursor, older: page.nextCursor };
  },
});

/** The newest message that the person of a chat has sent, which has their name. */
export const newestReceivedQuery = ({ workspaceId, instanceId, counterpart }: ChatAddress) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'chats', 'received', instanceId, counterpart),
    queryFn: async ({ signal }) => {
      const query = { instance: instanceId, counterpart, direction: 'inbound', limit: 1 } as const;
      return unwrap(await clientOf(workspaceId).messages.list(query, { signal })).data[0] ?? null;
    },
  });

const eventStretches = stretchesOf<WebhookEvent>({ at: ({ id }) => id, key: ({ id }) => id });

/** The reactions and calls of a number, of the last 30 days. Messages do not have them. */
export const activity = (workspaceId: string, instanceId: string): LongList<WebhookEvent> => ({
  queryKey: keyOf(workspaceId, 'chats', 'activity', instanceId),
  stretches: eventStretches,
  async read(cursor, signal) {
    const query = { types: 'message.reaction,call.received', limit: 100 };
    const page = unwrap(
      await clientOf(workspaceId).instances.events(
        instanceId,
        { ...query, ...(cursor !== null && { cursor }) },
        signal ? { signal } : {},
      ),
    );
    return { rows: page.data, newer: page.prevCursor, older: page.nextCursor };
  },
});

/** The events of a message, the newest first, which have its earlier texts. */
export const earlierTextsQuery = (workspaceId: string, messageId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'chats', 'earlier', messageId),
    queryFn: async ({ signal }) => {
      const query = { limit: 100 };
      return unwrap(await clientOf(workspaceId).messages.events(messageId, query, { signal })).data;
    },
  });
