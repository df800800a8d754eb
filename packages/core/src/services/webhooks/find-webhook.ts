import { isId } from '../../domain/id.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { WebhookEndpoint } from '../../domain/webhook/endpoint.ts';
import type { ServiceContext } from '../context.ts';

export async function findWebhook(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<WebhookEndpoint>> {
  const endpoint = isId('wh', id) ? await context.storage.webhooks.find(workspaceId, id) : null;
  return endpoint ? ok(endpoint) : noWebhook();
}

export function noWebhook(): ReturnType<typeof refuse> {
  return refuse('WEBHOOK_NOT_FOUND', 'There is no such webhook endpoint in this workspace.');
}

export function webhookDisabled(): ReturnType<typeof refuse> {
  return refuse('WEBHOOK_DISABLED', 'The webhook endpoint is disabled.');
}
