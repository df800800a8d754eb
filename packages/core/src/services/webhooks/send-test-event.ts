import type { Delivery } from '../../domain/delivery/delivery.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';
import { findWebhook, webhookDisabled } from './find-webhook.ts';

/** Queues a `webhook.test` event for this endpoint, whatever it subscribes to. */
export async function sendTestEvent(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<Result<Delivery>> {
  const found = await findWebhook(context, workspaceId, id);
  if (!found.ok) return found;
  const { url, description, status } = found.value;
  if (status === 'disabled') return webhookDisabled();
  const event = context.newEvent({
    type: 'webhook.test',
    workspaceId,
    data: { webhook: { id, url, description } },
    now: context.clock.now(),
  });
  const delivery = await context.storage.deliveries.enqueue(id, event);
  return delivery ? ok(delivery) : webhookDisabled();
}
