import { checkMayEditWebhooks } from '../../domain/api-key/authorization.ts';
import type { Result } from '../../domain/result.ts';
import type { WebhookEndpoint } from '../../domain/webhook/endpoint.ts';
import { disable, enable } from '../../domain/webhook/endpoint-state.ts';
import type { Member } from '../../domain/workspace/workspace.ts';
import { readInput } from '../../inputs/read-input.ts';
import { webhookChanges } from '../../inputs/webhooks.ts';
import type { WebhookChanges } from '../../inputs/webhooks.ts';
import { noWorkspace } from '../admin/workspaces.ts';
import type { ServiceContext } from '../context.ts';
import { changeWebhook } from './change-webhook.ts';
import type { EndpointChange } from './change-webhook.ts';
import { checkUrl } from './check-url.ts';
import { findWebhook } from './find-webhook.ts';

export async function updateWebhook(
  context: ServiceContext,
  { workspaceId, id, actor }: { workspaceId: string; id: string; actor: Member | null },
  input: unknown,
): Promise<Result<WebhookEndpoint>> {
  const mayEdit = checkMayEditWebhooks(actor);
  if (!mayEdit.ok) return mayEdit;
  const read = readInput(webhookChanges, input);
  if (!read.ok) return read;
  const changes = read.value;
  if (changes.url !== undefined) {
    const url = await checkUrl(context, changes.url);
    if (!url.ok) return url;
  }
  // Nothing that is known was named: nothing is written, and the time of the last change stays.
  if (Object.values(changes).every((change) => change === undefined))
    return findWebhook(context, workspaceId, id);
  const workspace = await context.storage.workspaces.find(workspaceId);
  if (!workspace) return noWorkspace();
  const { webhookLimit } = workspace.plan;
  return changeWebhook(context, { workspaceId, id }, (endpoint) =>
    applyChanges(endpoint, changes, { now: context.clock.now(), webhookLimit }),
  );
}

function applyChanges(
  endpoint: WebhookEndpoint,
  changes: WebhookChanges,
  { now, webhookLimit }: { readonly now: number; readonly webhookLimit: number },
): EndpointChange {
  const edited: WebhookEndpoint = {
    ...endpoint,
    url: changes.url ?? endpoint.url,
    events: changes.events ?? endpoint.events,
    description: changes.description === undefined ? endpoint.description : changes.description,
    updatedAt: now,
  };
  if (changes.status === undefined || changes.status === endpoint.status) return { endpoint: edited };
  return changes.status === 'disabled'
    ? { endpoint: disable(edited, 'manual', now), close: 'ENDPOINT_DISABLED' }
    : { endpoint: enable(edited, now), withHealth: true, enabledLimit: webhookLimit };
}
