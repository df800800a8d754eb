import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';
import { changeWebhook } from './change-webhook.ts';
import { newSecret } from './register-webhook.ts';
import type { EndpointWithSecret } from './register-webhook.ts';

/** The old secret stops at once: every attempt from now on, of waiting deliveries too, is signed with the new one. */
export async function rotateSecret(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<Result<EndpointWithSecret>> {
  const { secret, ...secretFields } = newSecret(context, id);
  const changed = await changeWebhook(context, { workspaceId, id }, (endpoint) => ({
    endpoint: { ...endpoint, ...secretFields, updatedAt: context.clock.now() },
  }));
  return changed.ok ? ok({ endpoint: changed.value, secret }) : changed;
}
