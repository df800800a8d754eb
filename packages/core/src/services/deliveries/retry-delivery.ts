import type { Delivery } from '../../domain/delivery/delivery.ts';
import { isId } from '../../domain/id.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';
import { noDelivery } from './find-delivery.ts';
import { retentionFloor } from './retention-floor.ts';

export async function retryDelivery(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<Delivery>> {
  if (!isId('whd', id)) return noDelivery();
  const { storage, clock } = context;
  const result = await storage.deliveries.retry(workspaceId, id, clock.now(), retentionFloor(clock));
  switch (result.kind) {
    case 'requeued':
      return ok(result.delivery);
    case 'not_found':
      return noDelivery();
    case 'not_allowed':
      return refuse(
        'WEBHOOK_RETRY_NOT_ALLOWED',
        'Only a failed or exhausted delivery of an enabled endpoint can be retried by hand.',
      );
  }
}
