import * as z from 'zod';
import { base64url, fromBase64url } from '../domain/base-encoding.ts';
import { floorId, isId } from '../domain/id.ts';
import type { IdPrefix } from '../domain/id.ts';
import { ok } from '../domain/result.ts';
import type { Result } from '../domain/result.ts';
import type { CheckedPageQuery } from '../inputs/fields.ts';
import { invalid, readInput } from '../inputs/read-input.ts';
import type { Page, PageRequest } from '../ports/storage/page.ts';

/** One page of a list, newest first, with its cursors. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly perPage: number;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
}

/**
 * Reads one page of a list. `filter` holds everything that selects the rows; `prefix` is the prefix of their
 * ids. `find` is called with the start of the page, after the cursor was checked.
 */
export async function readPage<Row extends { readonly id: string }>(
  { limit, cursor, before }: CheckedPageQuery,
  { prefix, filter }: { readonly prefix: IdPrefix; readonly filter: readonly unknown[] },
  find: (request: PageRequest) => Promise<Result<Page<Row>>>,
): Promise<Result<ListPage<Row>>> {
  const madeFor = JSON.stringify(filter);
  const from = readCursor(cursor, madeFor, prefix);
  if (!from.ok) return from;
  const found = await find({ from: from.value ?? startOf(before, prefix), limit });
  if (!found.ok) return found;
  return ok({ rows: found.value.rows, perPage: limit, ...pageCursors(found.value, madeFor) });
}

/** Converts a time to an id, because lists are sorted by id, and ids by time. */
function startOf(before: number | undefined, prefix: IdPrefix): PageRequest['from'] {
  return before === undefined ? null : { direction: 'older', id: floorId(prefix, before) };
}

/**
 * The start of a page, opaque to clients. A cursor includes its filter and is refused with another filter.
 */
const position = z.tuple([z.enum(['older', 'newer']), z.string().max(60), z.string().max(300)]);

function readCursor(
  cursor: string | undefined,
  filter: string,
  prefix: IdPrefix,
): Result<PageRequest['from']> {
  if (cursor === undefined) return ok(null);
  const read = readInput(position, decode(cursor));
  // The database may keep ids as bytes, so only a valid id may reach it.
  if (!read.ok || !isId(prefix, read.value[1])) {
    return invalid({ cursor: ['Must be a cursor that this list has returned.'] });
  }
  const [direction, id, madeFor] = read.value;
  if (madeFor !== filter)
    return invalid({
      cursor: [
        'Was made for another filter: repeat the filter of the page that returned it, or begin without a cursor.',
      ],
    });
  return ok({ direction, id });
}

/** The cursors of a page; null if the list ends in that direction. */
function pageCursors(
  page: Page<{ readonly id: string }>,
  filter: string,
): { readonly nextCursor: string | null; readonly prevCursor: string | null } {
  const last = page.olderFrom ?? page.rows.at(-1)?.id;
  const first = page.newerFrom ?? page.rows[0]?.id;
  return {
    nextCursor: page.hasOlder && last !== undefined ? encode(['older', last, filter]) : null,
    prevCursor: page.hasNewer && first !== undefined ? encode(['newer', first, filter]) : null,
  };
}

function encode(value: z.infer<typeof position>): string {
  return base64url(new TextEncoder().encode(JSON.stringify(value)));
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(fromBase64url(cursor)));
  } catch {
    return null;
  }
}
