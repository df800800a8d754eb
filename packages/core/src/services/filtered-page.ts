import { ROWS_EXAMINED_MAX } from '../ports/storage/page.ts';
import type { Page, PageRequest } from '../ports/storage/page.ts';

/**
 * Returns a page of the rows that pass a filter which the storage does not support. Reads until the page is full, the
 * list ends or `ROWS_EXAMINED_MAX` rows were examined. A page that ends at that maximum may have fewer rows than its
 * limit, and holds the position to continue from.
 */
export async function filteredPage<Row extends { readonly id: string }>(
  { from, limit }: PageRequest,
  passes: (row: Row) => boolean,
  find: (request: PageRequest) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  const isNewer = from?.direction === 'newer';
  let rows: readonly Row[] = [];
  let examined = 0;
  let first: Page<Row> | null = null;
  let at = from;
  for (;;) {
    // One extra row shows whether another page follows.
    const page = await find({ from: at, limit: limit + 1 });
    first ??= page;
    examined += page.rows.length;
    const passing = page.rows.filter(passes);
    rows = isNewer ? [...passing, ...rows] : [...rows, ...passing];
    const behind = isNewer
      ? page.hasNewer && (page.newerFrom ?? page.rows[0]?.id)
      : page.hasOlder && (page.olderFrom ?? page.rows.at(-1)?.id);
    const isFull = rows.length > limit;
    // A storage that stopped early has read as much as one request may.
    const hasStopped = (isNewer ? page.newerFrom : page.olderFrom) !== undefined;
    if (!isFull && behind && !hasStopped && examined < ROWS_EXAMINED_MAX) {
      at = { direction: isNewer ? 'newer' : 'older', id: behind };
      continue;
    }
    const stoppedAt = !isFull && behind ? behind : null;
    return isNewer
      ? {
          rows: rows.slice(-limit),
          hasOlder: first.hasOlder,
          hasNewer: isFull || stoppedAt !== null,
          ...(first.olderFrom !== undefined && { olderFrom: first.olderFrom }),
          ...(stoppedAt !== null && { newerFrom: stoppedAt }),
        }
      : {
          rows: rows.slice(0, limit),
          hasOlder: isFull || stoppedAt !== null,
          hasNewer: first.hasNewer,
          ...(stoppedAt !== null && { olderFrom: stoppedAt }),
          ...(first.newerFrom !== undefined && { newerFrom: first.newerFrom }),
        };
  }
}
