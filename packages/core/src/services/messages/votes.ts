import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { voteQuery } from '../../inputs/message-actions.ts';
import { readInput } from '../../inputs/read-input.ts';
import type { CastVote } from '../../ports/storage/vote-store.ts';
import type { ServiceContext } from '../context.ts';
import { readPage } from '../paging.ts';
import type { ListPage } from '../paging.ts';
import { findMessage } from './messages.ts';

/** The votes in a poll; none if the message is not a poll. */
export async function listVotes(
  context: ServiceContext,
  { workspaceId, id: messageId }: { readonly workspaceId: string; readonly id: string },
  query: unknown,
): Promise<Result<ListPage<CastVote>>> {
  const read = readInput(voteQuery, query);
  if (!read.ok) return read;
  return readPage(read.value, { prefix: 'vot', filter: [messageId] }, async (request) => {
    const found = await findMessage(context, workspaceId, messageId);
    return found.ok ? ok(await context.storage.votes.list(workspaceId, messageId, request)) : found;
  });
}
