import { floorId } from '../../domain/id.ts';
import { advance } from '../../domain/message/message-state.ts';
import type { Message } from '../../domain/message/message.ts';
import { CANCELLED, placeOf } from '../../domain/message/schedule.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { scheduledQuery } from '../../inputs/messages.ts';
import { readInput } from '../../inputs/read-input.ts';
import type { PageRequest } from '../../ports/storage/page.ts';
import type { ServiceContext } from '../context.ts';
import { findInstance } from '../instances/instances.ts';
import { readPage } from '../paging.ts';
import type { ListPage } from '../paging.ts';
import { messageEvent } from './advance-message.ts';
import { findMessage } from './messages.ts';

/** The messages that wait for their time, the next one first. A page's cursor holds a place. */
export async function listScheduled(
  context: ServiceContext,
  workspaceId: string,
  query: unknown,
): Promise<Result<ListPage<Message>>> {
  const read = readInput(scheduledQuery, query);
  if (!read.ok) return read;
  const { instance } = read.value;
  const madeFor = { prefix: 'msg', filter: ['scheduled', instance ?? null] } as const;
  const listed = await readPage(read.value, madeFor, async (request) => {
    if (instance !== undefined) {
      const found = await findInstance(context, workspaceId, instance);
      if (!found.ok) return found;
    }
    const filter = instance === undefined ? {} : { instanceId: instance };
    const page = await context.storage.schedule.list(workspaceId, filter, reversed(request));
    const rows = page.rows.map((message) => ({ id: placeOf(message), message })).toReversed();
    return ok({ rows, hasOlder: page.hasNewer, hasNewer: page.hasOlder });
  });
  if (!listed.ok) return listed;
  return ok({ ...listed.value, rows: listed.value.rows.map(({ message }) => message) });
}

/** Turns a page of this list, which begins with the smallest place, into a page of a list that ends with it. */
function reversed({ from, limit }: PageRequest): PageRequest {
  if (from === null) return { from: { direction: 'newer', id: floorId('msg', 0) }, limit };
  return { from: { ...from, direction: from.direction === 'older' ? 'newer' : 'older' }, limit };
}

/**
 * Cancels a message that waits for its time: once this resolves with the message, it is never sent. A repeat returns the
 * cancelled message again.
 */
export async function cancelMessage(
  context: ServiceContext,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
): Promise<Result<Message>> {
  const found = await findMessage(context, workspaceId, id);
  if (!found.ok) return found;
  const message = found.value;
  if (message.status === 'failed' && message.error?.code === CANCELLED.code) return found;
  const now = context.clock.now();
  const step =
    message.sendAt === null ? undefined : advance(message, { kind: 'failed', error: CANCELLED }, now).at(-1);
  if (!step || message.status !== 'queued') return notScheduled();
  const cancelled = await context.storage.schedule.cancel({
    message: step.message,
    expectedStatus: 'queued',
    events: [messageEvent(context, step, now)],
  });
  if (cancelled === 'changed') {
    context.traffic.advanced([step], now);
    return ok(step.message);
  }
  const after = await findMessage(context, workspaceId, id);
  const isCancelled = after.ok && after.value.error?.code === CANCELLED.code;
  return !after.ok || isCancelled ? after : notScheduled();
}

function notScheduled(): ReturnType<typeof refuse> {
  return refuse(
    'INVALID_MESSAGE_STATE',
    'Only a message that waits for its send_at can be cancelled, and this one does not, or no longer.',
  );
}
