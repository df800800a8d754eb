import type { ChatSummary } from '../domain/chat/chat.ts';
import { ok } from '../domain/result.ts';
import type { Result } from '../domain/result.ts';
import { chatQuery } from '../inputs/chats.ts';
import { readInput } from '../inputs/read-input.ts';
import type { ServiceContext } from './context.ts';
import { findInstance } from './instances/instances.ts';
import { readPage } from './paging.ts';
import type { ListPage } from './paging.ts';

/** A page's cursor holds the id of a chat's last message. */
export async function listChats(
  context: ServiceContext,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  query: unknown,
): Promise<Result<ListPage<ChatSummary>>> {
  const read = readInput(chatQuery, query);
  if (!read.ok) return read;
  const listed = await readPage(read.value, { prefix: 'msg', filter: [id, 'chats'] }, async (request) => {
    const found = await findInstance(context, workspaceId, id);
    if (!found.ok) return found;
    const page = await context.storage.chats.list(workspaceId, id, request);
    return ok({ ...page, rows: page.rows.map((chat) => ({ id: chat.lastMessage.id, chat })) });
  });
  if (!listed.ok) return listed;
  return ok({ ...listed.value, rows: listed.value.rows.map(({ chat }) => chat) });
}
