import { isId } from '../../domain/id.ts';
import { historySince } from '../../domain/instance/instance-history.ts';
import type { HistoryEntry } from '../../domain/instance/instance-history.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { historyQuery } from '../../inputs/instances.ts';
import { readInput } from '../../inputs/read-input.ts';
import type { Page, PageRequest } from '../../ports/storage/page.ts';
import type { ServiceContext } from '../context.ts';
import { readPage } from '../paging.ts';
import type { ListPage } from '../paging.ts';
import { findInstance } from './instances.ts';

interface InstanceName {
  readonly workspaceId: string;
  readonly id: string;
}

export async function listHistory(
  context: ServiceContext,
  instance: InstanceName,
  query: unknown,
): Promise<Result<ListPage<HistoryEntry>>> {
  return readHistory(instance, query, async (request) => {
    const found = await findInstance(context, instance.workspaceId, instance.id);
    return found.ok ? ok(await entries(context, instance, request)) : found;
  });
}

/** Like `listHistory`, but for the operator: also lists deleted instances. An unknown id has no history. */
export async function listHistoryOfAny(
  context: ServiceContext,
  instance: InstanceName,
  query: unknown,
): Promise<Result<ListPage<HistoryEntry>>> {
  return readHistory(instance, query, async (request) => ok(await entries(context, instance, request)));
}

async function readHistory(
  { workspaceId, id }: InstanceName,
  query: unknown,
  find: (request: PageRequest) => Promise<Result<Page<HistoryEntry>>>,
): Promise<Result<ListPage<HistoryEntry>>> {
  const read = readInput(historyQuery, query);
  return read.ok ? readPage(read.value, { prefix: 'hst', filter: [workspaceId, id] }, find) : read;
}

async function entries(
  { storage, clock, settings }: ServiceContext,
  { workspaceId, id }: InstanceName,
  request: PageRequest,
): Promise<Page<HistoryEntry>> {
  if (!isId('ten', workspaceId) || !isId('ins', id)) return { rows: [], hasOlder: false, hasNewer: false };
  const since = historySince(clock.now(), settings.retention.instanceHistoryDays);
  return storage.history.list(workspaceId, id, request, since);
}
