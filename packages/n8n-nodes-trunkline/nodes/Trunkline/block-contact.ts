import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { textOf } from './parameters.ts';
import { path, requestJson } from './request.ts';

/** The response has no body, so the item says what was done. */
export async function setBlocked(
  context: IExecuteFunctions,
  itemIndex: number,
  blocked: boolean,
): Promise<IDataObject> {
  const contact = textOf(context, 'contactId', itemIndex).trim();
  const method = blocked ? 'PUT' : 'DELETE';
  await requestJson(context, { method, path: path`/contacts/${contact}/block`, itemIndex });
  return { contact, blocked };
}
