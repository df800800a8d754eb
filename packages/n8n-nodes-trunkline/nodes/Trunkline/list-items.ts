import type { IDataObject } from 'n8n-workflow';
import { isObject } from './api-error.ts';
import { requestJson } from './request.ts';
import type { ApiContext, ApiRequest } from './request.ts';

export interface ListRequest extends Pick<ApiRequest, 'path' | 'query' | 'itemIndex'> {
  /** All items if omitted. */
  readonly limit?: number | undefined;
}

const LARGEST_PAGE = 100;

export async function listPages(
  context: ApiContext,
  { limit = Number.POSITIVE_INFINITY, query, ...request }: ListRequest,
): Promise<readonly IDataObject[]> {
  const found: IDataObject[] = [];
  let cursor: unknown;
  do {
    const page = await requestJson(context, {
      ...request,
      method: 'GET',
      query: {
        ...query,
        limit: Math.min(LARGEST_PAGE, limit - found.length),
        ...(typeof cursor === 'string' ? { cursor } : {}),
      },
    });
    found.push(...itemsOf(page));
    cursor = isObject(page['meta']) ? page['meta']['next_cursor'] : undefined;
    // An empty page may be followed by another.
  } while (typeof cursor === 'string' && found.length < limit);
  return found;
}

/** For a list that the API returns whole. */
export async function listAll(
  context: ApiContext,
  { limit = Number.POSITIVE_INFINITY, ...request }: ListRequest,
): Promise<readonly IDataObject[]> {
  const all = await requestJson(context, { ...request, method: 'GET' });
  return itemsOf(all).slice(0, limit);
}

function itemsOf({ data }: IDataObject): readonly IDataObject[] {
  return Array.isArray(data) ? data.filter(isObject) : [];
}
