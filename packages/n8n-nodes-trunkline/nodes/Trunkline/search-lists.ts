import type {
  IDataObject,
  ILoadOptionsFunctions,
  INodeListSearchResult,
  INodePropertyOptions,
} from 'n8n-workflow';
import { asText } from './as-text.ts';
import { listAll } from './list-items.ts';
import { path } from './request.ts';

/** By name or number, for a field with a list. */
export async function searchInstances(
  this: ILoadOptionsFunctions,
  filter?: string,
): Promise<INodeListSearchResult> {
  return { results: matching(await instanceOptions.call(this), filter) };
}

/** The groups of the instance that the user has chosen in the node. */
export async function searchGroups(
  this: ILoadOptionsFunctions,
  filter?: string,
): Promise<INodeListSearchResult> {
  const instance = asText(this.getCurrentNodeParameter('instance', { extractValue: true }));
  if (instance === '') return { results: [] };
  const groups = await listAll(this, { path: path`/instances/${instance}/groups` });
  return { results: matching(groups.map(optionOf), filter) };
}

export async function instanceOptions(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return (await listAll(this, { path: '/instances' })).map(optionOf);
}

function optionOf({ id, name, phone_number: number }: IDataObject): INodePropertyOptions {
  const label = typeof number === 'string' ? `${asText(name)} (+${number})` : asText(name);
  return { name: label, value: asText(id) };
}

function matching(options: readonly INodePropertyOptions[], filter = ''): INodePropertyOptions[] {
  return options.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
}
