import type { ChatSummary } from '../domain/chat/chat.ts';
import { ok } from '../domain/result.ts';
import type { Result } from '../domain/result.ts';
import { chatQuery } from '../inputs/chats.ts';
import { readInput } from '../inputs/read-input.ts';
import { coverageResource } from '../resources/coverage.ts';
import type { CoverageResource } from '../resources/coverage.ts';
import type { ServiceContext } from './context.ts';
import { findInstance } from './instances/instances.ts';
import { readPage } from './paging.ts';
import type { ListPage } from './paging.ts';

/** A list, and what it may lack. */
export interface CoveredPage<Row> extends ListPage<Row> {
  readonly coverage: CoverageResource;
}

/** The chats of an instance. A page is positioned by the ids of last messages. */
export async function listChats(
  context: ServiceContext,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  query: unknown,
): Promise<Result<CoveredPage<ChatSummary>>> {
  const read = readInput(chatQuery, query);
  if (!read.ok) return read;
  const listed = await readPage(read.value, { prefix: 'msg', filter: [id, 'chats'] }, async (request) => {
    const found = await findInstance(context, workspaceId, id);
    if (!found.ok) return found;
    const page = await context.storage.chats.list(workspaceId, id, request);
    return ok({ ...page, rows: page.rows.map((chat) => ({ id: chat.lastMessage.id, chat })) });
  });
  if (!listed.ok) return listed;
  const rows = listed.value.rows.map(({ chat }) => chat);
  return ok({ ...listed.value, rows, coverage: await readCoverage(context) });
}

export async function readCoverage({ storage, clock }: ServiceContext): Promise<CoverageResource> {
  return coverageResource(await storage.chats.coverage(), clock.now());
}
