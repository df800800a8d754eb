import type { Page, PageRequest } from '../../ports/storage/page.ts';
import { byId } from './order.ts';

export function pageOf<Row extends { readonly id: string }>(
  rows: readonly Row[],
  { from, limit }: PageRequest,
): Page<Row> {
  const list = rows.toSorted((a, b) => byId(b, a));
  let start = 0;
  let end = limit;
  if (from?.direction === 'older') {
    start = list.filter((row) => row.id >= from.id).length;
    end = start + limit;
  } else if (from?.direction === 'newer') {
    end = list.filter((row) => row.id > from.id).length;
    start = Math.max(0, end - limit);
  }
  return { rows: list.slice(start, end), hasOlder: end < list.length, hasNewer: start > 0 };
}
