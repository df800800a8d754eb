import type { PageResult } from '@trunkline/core';
import { json } from './route-response.ts';
import type { RouteResponse } from './route-response.ts';

/**
 * A page with its `links` and `meta` (specification, "GET /messages query parameters"). `first` and `last` are null,
 * because a growing list that is read by cursor has no fixed first or last page. `url` is the request's address as
 * clients see it.
 */
export function pageResponse(
  { data, perPage, nextCursor, prevCursor }: PageResult<unknown>,
  url: URL,
): RouteResponse {
  return json({
    data,
    links: { first: null, last: null, prev: linkTo(prevCursor, url), next: linkTo(nextCursor, url) },
    meta: {
      path: url.origin + url.pathname,
      per_page: perPage,
      next_cursor: nextCursor,
      prev_cursor: prevCursor,
    },
  });
}

/** `url` with this cursor; null if the cursor is null. */
function linkTo(cursor: string | null, url: URL): string | null {
  if (cursor === null) return null;
  const link = new URL(url);
  link.searchParams.set('cursor', cursor);
  return link.href;
}
