import { checkMayEditWebhooks } from '../../domain/api-key/authorization.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { HEALTHY } from '../../domain/webhook/endpoint.ts';
import type { WebhookEndpoint } from '../../domain/webhook/endpoint.ts';
import { newWebhookSecret, secretHint } from '../../domain/webhook/webhook-secret.ts';
import type { Member } from '../../domain/workspace/workspace.ts';
import { readInput } from '../../inputs/read-input.ts';
import { webhookInput } from '../../inputs/webhooks.ts';
import { noWorkspace } from '../admin/workspaces.ts';
import type { ServiceContext } from '../context.ts';
import { webhookSecretPurpose } from '../sealer.ts';
import { checkUrl } from './check-url.ts';

/** An endpoint with its secret, which is told only when it is made. */
export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

export async function registerWebhook(
  context: ServiceContext,
  { workspaceId, actor }: { workspaceId: string; actor: Member | null },
  input: unknown,
): Promise<Result<EndpointWithSecret>> {
  const mayEdit = checkMayEditWebhooks(actor);
  if (!mayEdit.ok) return mayEdit;
  const read = readInput(webhookInput, input);
  if (!read.ok) return read;
  const url = await checkUrl(context, read.value.url);
  if (!url.ok) return url;
  const workspace = await context.storage.workspaces.find(workspaceId);
  if (!workspace) return noWorkspace();

  const now = context.clock.now();
  const id = context.newId('wh', now);
  const { secret, ...secretFields } = newSecret(context, id);
  const endpoint: WebhookEndpoint = {
    id,
    workspaceId,
    url: url.value,
    description: read.value.description ?? null,
    events: read.value.events,
    status: 'enabled',
    ...secretFields,
    disabledAt: null,
    disabledReason: null,
    health: HEALTHY,
    createdAt: now,
    updatedAt: now,
    version: 0,
  };
  const { webhookLimit } = workspace.plan;
  const inserted = await context.storage.webhooks.insert(endpoint, webhookLimit);
  return inserted === 'inserted'
    ? ok({ endpoint, secret })
    : refuse('WEBHOOK_LIMIT_REACHED', `The plan allows ${webhookLimit} webhook endpoints.`);
}

export function newSecret(
  { random, sealer }: Pick<ServiceContext, 'random' | 'sealer'>,
  webhookId: string,
): { secret: string; sealedSecret: string; secretHint: string } {
  const secret = newWebhookSecret((length) => random.bytes(length));
  return {
    secret,
    sealedSecret: sealer.sealText(secret, webhookSecretPurpose(webhookId)),
    secretHint: secretHint(secret),
  };
}
