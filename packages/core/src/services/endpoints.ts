import { checkMayEditEndpoints } from '../domain/api-key/authorization.ts';
import type { CancellationReason, Delivery } from '../domain/delivery/delivery.ts';
import { newEndpointSecret, rotated, secretHint } from '../domain/endpoint/endpoint-secret.ts';
import { disable, enable } from '../domain/endpoint/endpoint-state.ts';
import { HEALTHY } from '../domain/endpoint/endpoint.ts';
import type { Endpoint } from '../domain/endpoint/endpoint.ts';
import { mayReach } from '../domain/endpoint/host-rules.ts';
import { checkEndpointUrl } from '../domain/endpoint/url-rules.ts';
import { isId } from '../domain/id.ts';
import { ok, refuse } from '../domain/result.ts';
import type { Result } from '../domain/result.ts';
import type { Member } from '../domain/workspace/workspace.ts';
import { invalid, readInput } from '../inputs/read-input.ts';
import { secretRotation, webhookChanges, webhookInput } from '../inputs/webhooks.ts';
import type { CheckedWebhookChanges } from '../inputs/webhooks.ts';
import type { DnsResolver } from '../ports/dns-resolver.ts';
import { testedWebhook } from '../resources/webhook.ts';
import { changeTries } from '../runtime/retry.ts';
import { noWorkspace } from './admin/workspaces.ts';
import type { ServiceContext } from './context.ts';
import { endpointSecretPurpose } from './sealer.ts';

/** An endpoint with its secret, which is shown only once. */
interface EndpointWithSecret {
  readonly endpoint: Endpoint;
  readonly secret: string;
}

export async function registerEndpoint(
  context: ServiceContext,
  { workspaceId, actor }: { workspaceId: string; actor: Member | null },
  input: unknown,
): Promise<Result<EndpointWithSecret>> {
  const mayEdit = checkMayEditEndpoints(actor);
  if (!mayEdit.ok) return mayEdit;
  const read = readInput(webhookInput, input);
  if (!read.ok) return read;
  const url = await checkUrl(context, read.value.url);
  if (!url.ok) return url;
  const instances = await checkInstances(context, workspaceId, read.value.instances ?? []);
  if (!instances.ok) return instances;
  const workspace = await context.storage.workspaces.find(workspaceId);
  if (!workspace) return noWorkspace();

  const now = context.clock.now();
  const id = context.newId('wh', now);
  const { secret, ...secretFields } = newSecret(context, id);
  const endpoint: Endpoint = {
    id,
    workspaceId,
    url: url.value,
    description: read.value.description ?? null,
    events: read.value.events,
    instances: read.value.instances ?? null,
    status: 'enabled',
    traceContext: read.value.trace_context ?? false,
    ...secretFields,
    sealedPreviousSecret: null,
    secretBeginsAt: null,
    disabledAt: null,
    disabledReason: null,
    health: HEALTHY,
    createdAt: now,
    updatedAt: now,
    version: 0,
  };
  const { webhookLimit } = workspace.plan;
  const inserted = await context.storage.endpoints.insert(endpoint, webhookLimit);
  return inserted === 'inserted'
    ? ok({ endpoint, secret })
    : refuse(
        'WEBHOOK_LIMIT_REACHED',
        `The plan allows ${webhookLimit} webhook endpoints: delete one, or change the plan.`,
      );
}

export async function findEndpoint(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<Endpoint>> {
  const endpoint = isId('wh', id) ? await context.storage.endpoints.find(workspaceId, id) : null;
  return endpoint ? ok(endpoint) : noEndpoint();
}

export async function updateEndpoint(
  context: ServiceContext,
  { workspaceId, id, actor }: { workspaceId: string; id: string; actor: Member | null },
  input: unknown,
): Promise<Result<Endpoint>> {
  const mayEdit = checkMayEditEndpoints(actor);
  if (!mayEdit.ok) return mayEdit;
  const read = readInput(webhookChanges, input);
  if (!read.ok) return read;
  const changes = read.value;
  if (changes.url !== undefined) {
    const url = await checkUrl(context, changes.url);
    if (!url.ok) return url;
  }
  // If no known field is given, nothing is written, so `updatedAt` stays as it is.
  if (Object.values(changes).every((change) => change === undefined))
    return findEndpoint(context, workspaceId, id);
  if (changes.instances) {
    const found = await findEndpoint(context, workspaceId, id);
    if (!found.ok) return found;
    const { instances: known } = found.value;
    // Instances chosen before may have been deleted since.
    const added = changes.instances.filter((one) => known?.includes(one) !== true);
    const instances = await checkInstances(context, workspaceId, added);
    if (!instances.ok) return instances;
  }
  const workspace = await context.storage.workspaces.find(workspaceId);
  if (!workspace) return noWorkspace();
  const { webhookLimit } = workspace.plan;
  return changeEndpoint(context, { workspaceId, id }, (endpoint) =>
    applyChanges(endpoint, changes, { now: context.clock.now(), webhookLimit }),
  );
}

function applyChanges(
  endpoint: Endpoint,
  changes: CheckedWebhookChanges,
  { now, webhookLimit }: { readonly now: number; readonly webhookLimit: number },
): EndpointChange {
  const edited: Endpoint = {
    ...endpoint,
    url: changes.url ?? endpoint.url,
    events: changes.events ?? endpoint.events,
    instances: changes.instances === undefined ? endpoint.instances : changes.instances,
    description: changes.description === undefined ? endpoint.description : changes.description,
    traceContext: changes.trace_context ?? endpoint.traceContext,
    updatedAt: now,
  };
  if (changes.status === undefined || changes.status === endpoint.status) return { endpoint: edited };
  return changes.status === 'disabled'
    ? { endpoint: disable(edited, 'manual', now), close: 'ENDPOINT_DISABLED' }
    : { endpoint: enable(edited, now), withHealth: true, enabledLimit: webhookLimit };
}

export async function deleteEndpoint(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<true>> {
  const deleted =
    isId('wh', id) && (await context.storage.endpoints.delete(workspaceId, id, context.clock.now()));
  return deleted ? ok(true) : noEndpoint();
}

/**
 * Replaces the secret, immediately or later. All attempts from then on, including those of waiting deliveries, are signed
 * with the new secret.
 */
export async function rotateSecret(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
  input: unknown,
): Promise<Result<EndpointWithSecret>> {
  const read = readInput(secretRotation, input);
  if (!read.ok) return read;
  const afterMs = (read.value.after_seconds ?? 0) * 1000;
  const { secret, sealedSecret, secretHint: hint } = newSecret(context, id);
  const changed = await changeEndpoint(context, { workspaceId, id }, (endpoint) => {
    const now = context.clock.now();
    const secrets = rotated(endpoint, sealedSecret, { now, afterMs });
    return { endpoint: { ...endpoint, ...secrets, secretHint: hint, updatedAt: now } };
  });
  return changed.ok ? ok({ endpoint: changed.value, secret }) : changed;
}

/** Queues a `webhook.test` event for this endpoint, whatever it subscribes to. */
export async function sendTestEvent(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<Result<Delivery>> {
  const found = await findEndpoint(context, workspaceId, id);
  if (!found.ok) return found;
  const endpoint = found.value;
  if (endpoint.status === 'disabled') return endpointDisabled();
  const event = context.newEvent({
    type: 'webhook.test',
    workspaceId,
    data: { webhook: testedWebhook(endpoint) },
    now: context.clock.now(),
  });
  const delivery = await context.storage.deliveries.enqueue(id, event);
  return delivery ? ok(delivery) : endpointDisabled();
}

interface EndpointChange {
  readonly endpoint: Endpoint;
  readonly close?: CancellationReason;
  /** Whether to write the failure record too. */
  readonly withHealth?: boolean;
  /** How many enabled endpoints the plan allows, if this change enables one. */
  readonly enabledLimit?: number;
}

/** Changes an endpoint: reads, decides, writes, and starts over if another write came in between. */
export async function changeEndpoint(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
  decide: (endpoint: Endpoint) => EndpointChange,
): Promise<Result<Endpoint>> {
  const nextTry = changeTries(context, 'A change of a webhook endpoint');
  for (;;) {
    await nextTry();
    const found = await findEndpoint(context, workspaceId, id);
    if (!found.ok) return found;
    const { endpoint, close, withHealth, enabledLimit } = decide(found.value);
    const { failingSince, warnedAt } = found.value.health;
    const written = await context.storage.endpoints.write({
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

async function checkInstances(
  { storage }: ServiceContext,
  workspaceId: string,
  ids: readonly string[],
): Promise<Result<true>> {
  const found = await Promise.all(ids.map((id) => storage.instances.find(workspaceId, id)));
  const unknown = ids.filter((_, index) => !found[index]);
  return unknown.length === 0
    ? ok(true)
    : invalid({ instances: unknown.map((id) => `There is no instance ${id} in this workspace.`) });
}

/** Checks the URL rules on create and update (specification, "URL rules"): the form, then each address of the host. */
async function checkUrl(context: ServiceContext, raw: string): Promise<Result<string>> {
  const url = checkEndpointUrl(raw, context.settings);
  if (!url.ok) return url.operatorMayAllow ? refuseUnlessAllowed(url.refusal.message) : url;
  if (url.value.hostIsAddress) return ok(raw);
  const addresses = await resolve(context, url.value.hostname);
  // Use the same text if the host does not resolve, because two texts would reveal which names exist in the
  // operator's network.
  return mayReach(url.value, addresses, context.settings)
    ? ok(raw)
    : refuseUnlessAllowed('The host of the URL must resolve, and to public addresses only.');
}

/**
 * Names the server's settings and the matching options in code, but not their values, which only the operator
 * may know.
 */
function refuseUnlessAllowed(message: string): Result<never> {
  return refuse(
    'INVALID_WEBHOOK_URL',
    `${message} The operator of this service can allow this machine for development with WEBHOOK_URL_POLICY=local (urlPolicy: 'local'), allow hosts of a private network with WEBHOOK_ALLOW (webhookAllow), and deny others with WEBHOOK_DENY (webhookDeny).`,
  );
}

async function resolve({ dns }: { dns: DnsResolver }, hostname: string): Promise<readonly string[]> {
  const abort = new AbortController();
  try {
    return await dns.resolve(hostname, abort.signal);
  } catch {
    return [];
  } finally {
    abort.abort();
  }
}

function newSecret(
  { random, sealer }: Pick<ServiceContext, 'random' | 'sealer'>,
  endpointId: string,
): { secret: string; sealedSecret: string; secretHint: string } {
  const secret = newEndpointSecret((length) => random.bytes(length));
  return {
    secret,
    sealedSecret: sealer.sealText(secret, endpointSecretPurpose(endpointId)),
    secretHint: secretHint(secret),
  };
}

export function noEndpoint(): ReturnType<typeof refuse> {
  return refuse('WEBHOOK_NOT_FOUND', 'There is no such webhook endpoint in this workspace.');
}

export function endpointDisabled(): ReturnType<typeof refuse> {
  return refuse('WEBHOOK_DISABLED', 'The webhook endpoint is disabled: enable it, then repeat the request.');
}
