import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isObject } from './api-error.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { textOf } from './parameters.ts';
import { path, requestJson } from './request.ts';

/** Reacts to a message, or takes the reaction back if there is no emoji. */
export async function react(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
  const id = textOf(context, 'messageId', itemIndex).trim();
  const emoji = textOf(context, 'emoji', itemIndex).trim();
  const { data } = await requestJson(context, {
    ...(emoji === '' ? { method: 'DELETE' } : { method: 'PUT', body: { emoji } }),
    path: path`/messages/${id}/reaction`,
    headers: { 'Idempotency-Key': idempotencyKey(context, itemIndex) },
    itemIndex,
  });
  return isObject(data) ? data : {};
}
