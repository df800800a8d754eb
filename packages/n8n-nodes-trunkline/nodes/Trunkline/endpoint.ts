import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { isObject } from './api-error.ts';
import { asText } from './as-text.ts';
import { listAll } from './list-items.ts';
import { path, requestIfExists, requestJson } from './request.ts';
import { readEndpoint, slotOf } from './static-data.ts';
import type { Endpoint } from './static-data.ts';

/** Returns whether this trigger's endpoint exists. If it does, updates its address and events, and enables it. */
export async function adoptEndpoint(context: IHookFunctions): Promise<boolean> {
  const staticData = context.getWorkflowStaticData('node');
  const slot = slotOf(context.getMode());
  const endpoint = readEndpoint(staticData, slot);
  if (endpoint === undefined) return false;
  const exists = await update(context, endpoint.id);
  if (!exists) delete staticData[slot];
  return exists;
}

/** Registers this trigger's address, and keeps the secret, which the API shows only once. */
export async function createEndpoint(context: IHookFunctions): Promise<void> {
  const slot = slotOf(context.getMode());
  context.getWorkflowStaticData('node')[slot] = { ...((await reclaim(context)) ?? (await create(context))) };
}

/** A missing endpoint counts as deleted. */
export async function deleteEndpoint(context: IHookFunctions): Promise<void> {
  const staticData = context.getWorkflowStaticData('node');
  const slot = slotOf(context.getMode());
  const endpoint = readEndpoint(staticData, slot);
  if (endpoint === undefined) return;
  await requestIfExists(context, { method: 'DELETE', path: path`/webhooks/${endpoint.id}` });
  delete staticData[slot];
}

/**
 * Reuses an endpoint with this address, with a new secret. n8n may have stopped before it kept the secret, or the
 * workflow may have been imported again. Such endpoints would use up the few that a workspace may have.
 */
async function reclaim(context: IHookFunctions): Promise<Endpoint | undefined> {
  const url = urlOf(context);
  const left = (await listAll(context, { path: '/webhooks' })).find((webhook) => webhook['url'] === url);
  if (left === undefined) return undefined;
  const id = asText(left['id']);
  await update(context, id);
  return endpointIn(
    await requestJson(context, { method: 'POST', path: path`/webhooks/${id}/rotate-secret` }),
  );
}

async function create(context: IHookFunctions): Promise<Endpoint> {
  const { name = '', id = '' } = context.getWorkflow();
  return endpointIn(
    await requestJson(context, {
      method: 'POST',
      path: '/webhooks',
      body: {
        url: urlOf(context),
        events: eventsOf(context),
        description: `n8n: ${[...name].slice(0, 100).join('')} (${id}${context.getMode() === 'manual' ? ', test' : ''})`,
      },
    }),
  );
}

async function update(context: IHookFunctions, id: string): Promise<boolean> {
  return requestIfExists(context, {
    method: 'PATCH',
    path: path`/webhooks/${id}`,
    body: { url: urlOf(context), events: eventsOf(context), status: 'enabled' },
  });
}

function endpointIn({ data }: IDataObject): Endpoint {
  const { id, secret } = isObject(data) ? data : {};
  return { id: asText(id), secret: asText(secret) };
}

function urlOf(context: IHookFunctions): string {
  const url = context.getNodeWebhookUrl('default');
  if (url === undefined)
    throw new NodeOperationError(context.getNode(), 'n8n has no address for this trigger.');
  return url;
}

function eventsOf(context: IHookFunctions): string[] {
  const events: unknown = context.getNodeParameter('events', []);
  return Array.isArray(events) ? events.map(String) : [];
}
