import { RETRY_FAILED_BATCH, RETRY_FAILED_COUNT_MAX } from '../../domain/delivery/delivery-limits.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';
import { findWebhook, webhookDisabled } from '../webhooks/find-webhook.ts';
import { retentionFloor } from './retention-floor.ts';

export async function retryFailed(
  context: ServiceContext,
  { workspaceId, webhookId }: { workspaceId: string; webhookId: string },
): Promise<Result<{ requeued: number; remaining: number }>> {
  const found = await findWebhook(context, workspaceId, webhookId);
  if (!found.ok) return found;
  const { storage, clock } = context;
  const outcome = await storage.deliveries.retryAll(workspaceId, webhookId, {
    limit: RETRY_FAILED_BATCH,
    countUpTo: RETRY_FAILED_COUNT_MAX,
    now: clock.now(),
    since: retentionFloor(clock),
  });
  return outcome ? ok(outcome) : webhookDisabled();
}
