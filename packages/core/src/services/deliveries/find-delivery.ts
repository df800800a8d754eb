import { isId } from '../../domain/id.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { DeliveryDetail } from '../../ports/storage/delivery-store.ts';
import type { ServiceContext } from '../context.ts';
import { retentionFloor } from './retention-floor.ts';

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

export function noDelivery(): ReturnType<typeof refuse> {
  return refuse('WEBHOOK_DELIVERY_NOT_FOUND', 'There is no such delivery in this workspace.');
}
