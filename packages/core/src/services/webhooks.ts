import { checkMayEditWebhooks } from '../domain/api-key/authorization.ts';
import type { CancellationReason, Delivery } from '../domain/delivery/delivery.ts';
import { isId } from '../domain/id.ts';
import { ok, refuse } from '../domain/result.ts';
import type { Result } from '../domain/result.ts';
import { disable, enable } from '../domain/webhook/endpoint-state.ts';
import { HEALTHY } from '../domain/webhook/endpoint.ts';
import type { WebhookEndpoint } from '../domain/webhook/endpoint.ts';
import { mayReach } from '../domain/webhook/host-rules.ts';
import { checkWebhookUrl } from '../domain/webhook/url-rules.ts';
import { newWebhookSecret, secretHint } from '../domain/webhook/webhook-secret.ts';
import type { Member } from '../domain/workspace/workspace.ts';
import { readInput } from '../inputs/read-input.ts';
import { webhookChanges, webhookInput } from '../inputs/webhooks.ts';
import type { WebhookChanges } from '../inputs/webhooks.ts';
import type { DnsResolver } from '../ports/dns-resolver.ts';
import { withDeadline } from '../runtime/deadline.ts';
import { noWorkspace } from './admin/workspaces.ts';
import type { ServiceContext } from './context.ts';
import { webhookSecretPurpose } from './sealer.ts';

const RESOLVE_TIMEOUT_MS = 3_000;

/** An endpoint with its secret, which is shown only when it is made. */
interface EndpointWithSecret {
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
    : refuse(
        'WEBHOOK_LIMIT_REACHED',
        `The plan allows ${webhookLimit} webhook endpoints: delete one, or change the plan.`,
      );
}

export async function findWebhook(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<WebhookEndpoint>> {
  const endpoint = isId('wh', id) ? await context.storage.webhooks.find(workspaceId, id) : null;
  return endpoint ? ok(endpoint) : noWebhook();
}

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

export async function deleteWebhook(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<true>> {
  const deleted = isId('wh', id) && (await context.storage.webhooks.delete(workspaceId, id));
  return deleted ? ok(true) : noWebhook();
}

/** The old secret stops immediately: every attempt from now on, of waiting deliveries too, is signed with the new one. */
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

interface EndpointChange {
  readonly endpoint: WebhookEndpoint;
  readonly close?: CancellationReason;
  /** Write the endpoint's failure record too. */
  readonly withHealth?: boolean;
  /** How many endpoints the plan lets be enabled, where this enables one. */
  readonly enabledLimit?: number;
}

/** Changes an endpoint: reads, decides, writes, and starts over when somebody else wrote in between. */
export async function changeWebhook(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
  decide: (endpoint: WebhookEndpoint) => EndpointChange,
): Promise<Result<WebhookEndpoint>> {
  for (;;) {
    const found = await findWebhook(context, workspaceId, id);
    if (!found.ok) return found;
    const { endpoint, close, withHealth, enabledLimit } = decide(found.value);
    const { failingSince, warnedAt } = found.value.health;
    const written = await context.storage.webhooks.write({
      endpoint,
      ...(close ? { close } : {}),
      ...(withHealth ? { health: { failingSince, warnedAt } } : {}),
      ...(enabledLimit === undefined ? {} : { enabledLimit }),
    });
    if (written === 'limit_reached')
      return refuse(
        'WEBHOOK_LIMIT_REACHED',
        `The plan allows ${enabledLimit} enabled webhook endpoints: disable another one first, or change the plan.`,
      );
    if (written === 'written') return ok(endpoint);
  }
}

/** The URL rules on create and update (specification, "URL rules"): the form, then every address that the host has now. */
async function checkUrl(context: ServiceContext, raw: string): Promise<Result<string>> {
  const url = checkWebhookUrl(raw, context.settings);
  if (!url.ok) return url.operatorMayAllow ? refuseUnlessAllowed(url.refusal.message) : url;
  if (url.value.hostIsAddress) return ok(raw);
  const addresses = await resolve(context, url.value.hostname);
  // One text whether it resolves or not: two would show which names exist in the operator's own network.
  return mayReach(url.value, addresses, context.settings)
    ? ok(raw)
    : refuseUnlessAllowed('The host of the URL must resolve, and to public addresses only.');
}

/** Names the settings of the server, which are options in code, whatever they are set to now: that is for the operator alone. */
function refuseUnlessAllowed(message: string): Result<never> {
  return refuse(
    'INVALID_WEBHOOK_URL',
    `${message} The operator of this service can allow hosts of a private network with WEBHOOK_ALLOW (webhookAllow), and deny others with WEBHOOK_DENY (webhookDeny).`,
  );
}

async function resolve(
  { dns, clock }: { dns: DnsResolver } & Pick<ServiceContext, 'clock'>,
  hostname: string,
): Promise<readonly string[]> {
  const abort = new AbortController();
  try {
    const limit = { what: 'Resolving a host', ms: RESOLVE_TIMEOUT_MS };
    return await withDeadline(clock, limit, dns.resolve(hostname, abort.signal));
  } catch {
    return [];
  } finally {
    abort.abort();
  }
}

function newSecret(
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

function noWebhook(): ReturnType<typeof refuse> {
  return refuse('WEBHOOK_NOT_FOUND', 'There is no such webhook endpoint in this workspace.');
}

export function webhookDisabled(): ReturnType<typeof refuse> {
  return refuse('WEBHOOK_DISABLED', 'The webhook endpoint is disabled: enable it, then repeat the request.');
}
