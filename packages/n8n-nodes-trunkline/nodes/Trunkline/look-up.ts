import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isObject } from './api-error.ts';
import { idOf, listOf } from './parameters.ts';
import { path, requestJson } from './request.ts';

/** An item for each number. */
export async function lookUp(context: IExecuteFunctions, itemIndex: number): Promise<readonly IDataObject[]> {
  const instance = idOf(context, 'instance', itemIndex);
  const numbers = listOf(context, 'numbers', itemIndex);
  const { data } = await requestJson(context, {
    method: 'POST',
    path: path`/instances/${instance}/lookup`,
    body: { numbers },
    itemIndex,
  });
  return Array.isArray(data) ? data.filter(isObject) : [];
}
