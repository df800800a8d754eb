import type { Delivery } from '../../domain/delivery/delivery.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { readInput } from '../../inputs/read-input.ts';
import { deliveryQuery } from '../../inputs/webhooks.ts';
import type { ServiceContext } from '../context.ts';
import { pageCursors, readCursor } from '../cursor.ts';
import type { ListPage } from '../list-page.ts';
import { findWebhook } from '../webhooks/find-webhook.ts';
import { retentionFloor } from './retention-floor.ts';

export async function listDeliveries(
  context: ServiceContext,
  { workspaceId, webhookId }: { workspaceId: string; webhookId: string },
  query: unknown,
): Promise<Result<ListPage<Delivery>>> {
  const read = readInput(deliveryQuery, query);
  if (!read.ok) return read;
  const { status, event, limit, cursor } = read.value;
  const filterText = JSON.stringify([webhookId, status ?? null, event ?? null]);
  const from = readCursor(cursor, filterText, 'whd');
  if (!from.ok) return from;
  const found = await findWebhook(context, workspaceId, webhookId);
  if (!found.ok) return found;
  const page = await context.storage.deliveries.list(
    workspaceId,
    webhookId,
    { ...(status === undefined ? {} : { status }), ...(event === undefined ? {} : { eventType: event }) },
    { from: from.value, limit },
    retentionFloor(context.clock),
  );
  return ok({ rows: page.rows, perPage: limit, ...pageCursors(page, filterText) });
}
