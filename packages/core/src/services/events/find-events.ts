import { RETENTION_MS } from '../../domain/delivery/delivery.ts';
import type { Event } from '../../domain/event/event.ts';
import { isId } from '../../domain/id.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { eventPageQuery, eventQuery } from '../../inputs/events.ts';
import { readInput } from '../../inputs/read-input.ts';
import type { ServiceContext } from '../context.ts';
import { findInstance } from '../instances/instances.ts';
import { findMessage } from '../messages/messages.ts';
import { readPage } from '../paging.ts';
import type { ListPage } from '../paging.ts';

export async function findEvent(
  { storage, clock }: Pick<ServiceContext, 'storage' | 'clock'>,
  workspaceId: string,
  id: string,
): Promise<Result<Event>> {
  const since = clock.now() - RETENTION_MS;
  const event = isId('evt', id) ? await storage.events.find(workspaceId, id, since) : null;
  return event ? ok(event) : noEvent();
}

function noEvent(): ReturnType<typeof refuse> {
  return refuse(
    'EVENT_NOT_FOUND',
    'There is no such event in this workspace: events are deleted after 30 days.',
  );
}

export async function listInstanceEvents(
  context: ServiceContext,
  { workspaceId, id: instanceId }: { readonly workspaceId: string; readonly id: string },
  query: unknown,
): Promise<Result<ListPage<Event>>> {
  const read = readInput(eventQuery, query);
  if (!read.ok) return read;
  const { types } = read.value;
  const filter = [instanceId, types?.toSorted().join(',') ?? null];
  return readPage(read.value, { prefix: 'evt', filter }, async (request) => {
    const found = await findInstance(context, workspaceId, instanceId);
    if (!found.ok) return found;
    const since = context.clock.now() - RETENTION_MS;
    return ok(await context.storage.events.list(workspaceId, { instanceId, types }, request, since));
  });
}

export async function listMessageEvents(
  context: ServiceContext,
  { workspaceId, id: messageId }: { readonly workspaceId: string; readonly id: string },
  query: unknown,
): Promise<Result<ListPage<Event>>> {
  const read = readInput(eventPageQuery, query);
  if (!read.ok) return read;
  return readPage(read.value, { prefix: 'evt', filter: [messageId] }, async (request) => {
    const found = await findMessage(context, workspaceId, messageId);
    if (!found.ok) return found;
    const since = context.clock.now() - RETENTION_MS;
    return ok(await context.storage.events.list(workspaceId, { messageId }, request, since));
  });
}
