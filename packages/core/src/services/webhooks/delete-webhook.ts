import { isId } from '../../domain/id.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';
import { noWebhook } from './find-webhook.ts';

export async function deleteWebhook(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<true>> {
  const deleted = isId('wh', id) && (await context.storage.webhooks.delete(workspaceId, id));
  return deleted ? ok(true) : noWebhook();
}
