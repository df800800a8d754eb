import { verify } from '@trunkline/receiver';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { isObject } from './api-error.ts';
import { isNewEvent } from './recent-events.ts';
import { readEndpoint, slotOf } from './static-data.ts';

/**
 * Starts the workflow if the service has signed the event and the node's settings select it. By default, repeats are
 * dropped.
 */
export async function receiveEvent(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const endpoint = readEndpoint(context.getWorkflowStaticData('node'), slotOf(context.getMode()));
  // n8n may not have stored the secret yet. After a 503, the service tries again.
  if (endpoint === undefined) return refuse(context, 503, 'not_registered');

  const result = await verify({
    secret: endpoint.secret,
    headers: context.getHeaderData(),
    body: context.getRequestObject().rawBody,
  });
  if (!result.ok) return refuse(context, 400, result.reason);

  const { event } = result;
  if (!isChosen(context, event)) return { webhookResponse: 'ignored' };
  if (dropsDuplicates(context) && !isNewEvent(endpoint.id, event.id, context.getResponseObject()))
    return { webhookResponse: 'duplicate' };
  // An event is JSON, as IDataObject means.
  return { workflowData: [[{ json: event as unknown as IDataObject }]], webhookResponse: 'started' };
}

function refuse(context: IWebhookFunctions, status: number, reason: string): IWebhookResponseData {
  context.getResponseObject().status(status).type('text/plain').send(reason);
  return { noWebhookResponse: true };
}

/**
 * Whether the node's current settings select the event. Earlier events may still be in flight, and test events are sent
 * to any endpoint.
 */
function isChosen(
  context: IWebhookFunctions,
  event: { readonly type: string; readonly data: unknown },
): boolean {
  const events: unknown = context.getNodeParameter('events', []);
  if (!Array.isArray(events) || !events.includes(event.type)) return false;
  const instances: unknown = context.getNodeParameter('options.instances', []);
  if (!Array.isArray(instances) || instances.length === 0) return true;
  return instances.includes(instanceOf(event.data));
}

/** The id of an event's instance; undefined for `webhook.test`, which has none. */
function instanceOf(data: unknown): unknown {
  const abouts = Object.entries(isObject(data) ? data : {});
  return abouts
    .map(([name, about]) =>
      isObject(about) ? (name === 'instance' ? about['id'] : about['instance_id']) : undefined,
    )
    .find((id) => id !== undefined);
}

function dropsDuplicates(context: IWebhookFunctions): boolean {
  return context.getNodeParameter('options.dropDuplicates', true) !== false;
}
