import type { IDataObject, IExecuteFunctions, IHttpRequestMethods } from 'n8n-workflow';
import { isObject } from './api-error.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { textOf } from './parameters.ts';
import { path, requestJson } from './request.ts';

type Item = [context: IExecuteFunctions, itemIndex: number];

/** Reacts to a message, or takes the reaction back if there is no emoji. */
export function react(...item: Item): Promise<IDataObject> {
  const emoji = textOf(item[0], 'emoji', item[1]).trim();
  const url = path`/messages/${messageOf(...item)}/reaction`;
  return act(
    item,
    emoji === '' ? { method: 'DELETE', path: url } : { method: 'PUT', path: url, body: { emoji } },
  );
}

export function editMessage(...item: Item): Promise<IDataObject> {
  const [context, itemIndex] = item;
  const words = textOf(context, 'newText', itemIndex);
  const body = context.getNodeParameter('editCaption', itemIndex) ? { caption: words } : { text: words };
  return act(item, { method: 'PATCH', path: path`/messages/${messageOf(...item)}`, body });
}

export function deleteForEveryone(...item: Item): Promise<IDataObject> {
  const query = { for: 'everyone' };
  return act(item, { method: 'DELETE', path: path`/messages/${messageOf(...item)}`, query });
}

export function markRead(...item: Item): Promise<IDataObject> {
  return act(item, { method: 'POST', path: path`/messages/${messageOf(...item)}/read` });
}

function messageOf(...[context, itemIndex]: Item): string {
  return textOf(context, 'messageId', itemIndex).trim();
}

/** Queues an action on a message, and returns it. */
async function act(
  [context, itemIndex]: Item,
  request: {
    readonly method: IHttpRequestMethods;
    readonly path: string;
    readonly query?: IDataObject;
    readonly body?: IDataObject;
  },
): Promise<IDataObject> {
  const headers = { 'Idempotency-Key': idempotencyKey(context, itemIndex) };
  const { data } = await requestJson(context, { ...request, headers, itemIndex });
  return isObject(data) ? data : {};
}
