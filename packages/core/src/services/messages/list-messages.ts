import type { Message } from '../../domain/message/message.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { messageQuery } from '../../inputs/messages.ts';
import { readInput } from '../../inputs/read-input.ts';
import type { ServiceContext } from '../context.ts';
import { pageCursors, readCursor } from '../cursor.ts';
import { findInstance } from '../instances/find-instance.ts';
import type { ListPage } from '../list-page.ts';

export async function listMessages(
  context: ServiceContext,
  workspaceId: string,
  query: unknown,
): Promise<Result<ListPage<Message>>> {
  const read = readInput(messageQuery, query);
  if (!read.ok) return read;
  const { instance, direction, type, status, limit, cursor } = read.value;
  const filterText = JSON.stringify([instance ?? null, direction ?? null, type ?? null, status ?? null]);
  const from = readCursor(cursor, filterText, 'msg');
  if (!from.ok) return from;
  if (instance !== undefined) {
    const found = await findInstance(context, workspaceId, instance);
    if (!found.ok) return found;
  }
  const page = await context.storage.messages.list(
    workspaceId,
    {
      ...(instance === undefined ? {} : { instanceId: instance }),
      ...(direction === undefined ? {} : { direction }),
      ...(type === undefined ? {} : { type }),
      ...(status === undefined ? {} : { statuses: status }),
    },
    { from: from.value, limit },
  );
  return ok({ rows: page.rows, perPage: limit, ...pageCursors(page, filterText) });
}
