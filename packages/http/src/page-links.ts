import type { PageResult } from '@trunkline/core';

/**
 * The `links` and `meta` of a page (specification, "GET /messages query parameters"). `first` and `last` are null,
 * because a growing list that is read by cursor has no fixed first or last page.
 */
export function pageFacts(
  page: PageResult<unknown>,
  url: URL,
): { readonly links: PageLinks; readonly meta: PageMeta } {
  return {
    links: {
      first: null,
      last: null,
      prev: linkTo(page.prevCursor, url),
      next: linkTo(page.nextCursor, url),
    },
    meta: {
      path: url.origin + url.pathname,
      per_page: page.perPage,
      next_cursor: page.nextCursor,
      prev_cursor: page.prevCursor,
    },
  };
}

interface PageLinks {
  readonly first: null;
  readonly last: null;
  readonly prev: string | null;
  readonly next: string | null;
}

interface PageMeta {
  readonly path: string;
  readonly per_page: number;
  readonly next_cursor: string | null;
  readonly prev_cursor: string | null;
}

/** `url` with this cursor; null if the cursor is null. */
function linkTo(cursor: string | null, url: URL): string | null {
  if (cursor === null) return null;
  const link = new URL(url);
  link.searchParams.set('cursor', cursor);
  return link.href;
}
