import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { idOf, textOf } from './parameters.ts';
import { path, requestJson } from './request.ts';

/** The response has no body, so the item says what was shown. */
export async function showTyping(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
  const instance = idOf(context, 'instance', itemIndex);
  const body = { to: idOf(context, 'to', itemIndex), state: textOf(context, 'state', itemIndex) };
  await requestJson(context, { method: 'POST', path: path`/instances/${instance}/typing`, body, itemIndex });
  return { instance, ...body };
}
