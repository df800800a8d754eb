import * as z from 'zod';
import { base64url, fromBase64url } from '../domain/base-encoding.ts';
import { isId } from '../domain/id.ts';
import type { IdPrefix } from '../domain/id.ts';
import { ok } from '../domain/result.ts';
import type { Result } from '../domain/result.ts';
import { invalid, readInput } from '../inputs/read-input.ts';
import type { Page, PageRequest } from '../ports/storage/page.ts';

/** Where a page begins, opaque to clients. It carries the filter that it was made for, and is refused with any other. */
const position = z.tuple([z.enum(['older', 'newer']), z.string().max(60), z.string().max(300)]);

export function readCursor(
  cursor: string | undefined,
  filter: string,
  prefix: IdPrefix,
): Result<PageRequest['from']> {
  if (cursor === undefined) return ok(null);
  const read = readInput(position, decode(cursor));
  // The id goes to the database, which may keep ids as bytes: what is no id must not get there.
  if (!read.ok || !isId(prefix, read.value[1])) {
    return invalid({ cursor: ['Must be a cursor that this list has answered.'] });
  }
  const [direction, id, madeFor] = read.value;
  if (madeFor !== filter) return invalid({ cursor: ['Was made for another filter.'] });
  return ok({ direction, id });
}

/** The cursors of a page, null where there is nothing further that way. */
export function pageCursors(
  page: Page<{ readonly id: string }>,
  filter: string,
): { readonly nextCursor: string | null; readonly prevCursor: string | null } {
  const first = page.rows[0];
  const last = page.rows.at(-1);
  return {
    nextCursor: page.hasOlder && last ? encode(['older', last.id, filter]) : null,
    prevCursor: page.hasNewer && first ? encode(['newer', first.id, filter]) : null,
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
