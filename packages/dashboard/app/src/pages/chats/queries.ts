import { queryOptions } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import type { ChatResource } from '@trunkline/http/client';
import { unwrap } from '@trunkline/http/client';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { nameText } from '../../domain/name-text.ts';
import { reaches, withNewest, withOlder } from './thread.ts';
import type { Thread } from './thread.ts';

const PAGE = 50;

export const chatsQuery = (workspaceId: string, instanceId: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'chats', 'list', instanceId, cursor ?? null),
    queryFn: async ({ signal }) => {
      const query = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
      return unwrap(await clientOf(workspaceId).instances.chats(instanceId, query, { signal }));
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

export interface ChatAddress {
  readonly workspaceId: string;
  readonly instanceId: string;
  /** A number, or the id of a contact or of a group. */
  readonly counterpart: string;
}

/** The maximum number of pages that one refresh reads. Older messages are not refreshed. */
const NEWEST_PAGES = 4;

export const threadQuery = (address: ChatAddress) =>
  queryOptions({
    queryKey: keyOf(address.workspaceId, 'chats', 'thread', address.instanceId, address.counterpart),
    queryFn: async ({ signal, client, queryKey }): Promise<Thread> => {
      const before = client.getQueryData<Thread>(queryKey);
      let fresh = await readStretch(address, null, signal);
      for (let page = 1; page < NEWEST_PAGES && before && !reaches(fresh, before); page++) {
        const further = await readStretch(address, fresh.nextCursor, signal);
        fresh = { messages: [...fresh.messages, ...further.messages], nextCursor: further.nextCursor };
      }
      // Not `before`: older messages may have been loaded during this read.
      return withNewest(fresh, client.getQueryData<Thread>(queryKey));
    },
    // Drop the messages when the user leaves the page, so that the next visit begins at the newest one.
    gcTime: 0,
  });

/** Loads the page of messages before the oldest known one. Resolves with whether that was the beginning of the chat. */
export async function readOlder(queries: QueryClient, address: ChatAddress): Promise<boolean> {
  const { queryKey } = threadQuery(address);
  const cursor = queries.getQueryData(queryKey)?.olderCursor ?? null;
  if (cursor === null) return true;
  const older = await readStretch(address, cursor);
  queries.setQueryData(queryKey, (known) =>
    // If the cursor has changed, the thread started over during the read: drop the result.
    known?.olderCursor === cursor ? withOlder(known, older) : known,
  );
  return older.nextCursor === null;
}

async function readStretch(
  { workspaceId, instanceId, counterpart }: ChatAddress,
  cursor: string | null,
  signal?: AbortSignal,
) {
  const query = {
    instance: instanceId,
    counterpart,
    origin: 'any',
    limit: PAGE,
    ...(cursor !== null && { cursor }),
  } as const;
  const page = unwrap(await clientOf(workspaceId).messages.list(query, { signal }));
  return { messages: page.data, nextCursor: page.nextCursor };
}
