import type { RequestedAttempt } from '../domain/delivery/delivery-state.ts';
import { RETENTION_MS, RETRY_FAILED_BATCH, RETRY_FAILED_COUNT_MAX } from '../domain/delivery/delivery.ts';
import type { Delivery } from '../domain/delivery/delivery.ts';
import { isId } from '../domain/id.ts';
import { ok, refuse } from '../domain/result.ts';
import type { Result } from '../domain/result.ts';
import { readInput } from '../inputs/read-input.ts';
import { deliveryQuery } from '../inputs/webhooks.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeliveryDetail } from '../ports/storage/delivery-store.ts';
import type { ServiceContext } from './context.ts';
import { endpointDisabled, findEndpoint } from './endpoints.ts';
import { readPage } from './paging.ts';
import type { ListPage } from './paging.ts';

export async function findDelivery(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<DeliveryDetail>> {
  const detail = isId('whd', id)
    ? await context.storage.deliveries.findDetail(workspaceId, id, retentionFloor(context.clock))
    : null;
  return detail ? ok(detail) : noDelivery();
}

export async function listDeliveries(
  context: ServiceContext,
  { workspaceId, endpointId }: { workspaceId: string; endpointId: string },
  query: unknown,
): Promise<Result<ListPage<Delivery>>> {
  const read = readInput(deliveryQuery, query);
  if (!read.ok) return read;
  const { status, event } = read.value;
  const filter = [endpointId, status ?? null, event ?? null];
  return readPage(read.value, { prefix: 'whd', filter }, async (request) => {
    const found = await findEndpoint(context, workspaceId, endpointId);
    if (!found.ok) return found;
    const page = await context.storage.deliveries.list(
      workspaceId,
      endpointId,
      { ...(status === undefined ? {} : { status }), ...(event === undefined ? {} : { eventType: event }) },
      request,
      retentionFloor(context.clock),
    );
    return ok(page);
  });
}

export async function retryDelivery(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
  attempt: RequestedAttempt,
): Promise<Result<Delivery>> {
  if (!isId('whd', id)) return noDelivery();
  const { storage, clock } = context;
  const since = retentionFloor(clock);
  const result = await storage.deliveries.retry(workspaceId, id, clock.now(), since, attempt);
  switch (result.kind) {
    case 'requeued':
      return ok(result.delivery);
    case 'not_found':
      return noDelivery();
    case 'not_allowed':
      return refuse('WEBHOOK_RETRY_NOT_ALLOWED', NOT_ALLOWED[attempt]);
  }
}

const NOT_ALLOWED: Readonly<Record<RequestedAttempt, string>> = {
  extra:
    'Only a failed or exhausted delivery of an enabled endpoint can be retried by hand: read the status of the delivery and of its endpoint.',
  next: 'Only a delivery that waits for its retry, at an enabled endpoint, can be tried now: read the status of the delivery and of its endpoint, or whether an attempt is being made.',
};

/** Requeues failed and exhausted deliveries of an endpoint, at most one batch per call. */
export async function retryFailedDeliveries(
  context: ServiceContext,
  { workspaceId, endpointId }: { workspaceId: string; endpointId: string },
): Promise<Result<{ requeued: number; remaining: number }>> {
  const found = await findEndpoint(context, workspaceId, endpointId);
  if (!found.ok) return found;
  const { storage, clock } = context;
  const outcome = await storage.deliveries.retryFailedDeliveries(workspaceId, endpointId, {
    limit: RETRY_FAILED_BATCH,
    countUpTo: RETRY_FAILED_COUNT_MAX,
    now: clock.now(),
    since: retentionFloor(clock),
  });
  return outcome ? ok(outcome) : endpointDisabled();
}

function noDelivery(): ReturnType<typeof refuse> {
  return refuse('WEBHOOK_DELIVERY_NOT_FOUND', 'There is no such delivery in this workspace.');
}

/** Deliveries created before this time are hidden from readers, even if not deleted yet. */
function retentionFloor(clock: Clock): number {
  return clock.now() - RETENTION_MS;
}
