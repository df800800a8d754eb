import { unwrap } from './call-result.ts';
import type { CallResult } from './call-result.ts';

interface Page<Row> {
  /** The rows. */
  readonly data: readonly Row[];
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null;
}

/** The type of the rows on the pages that a call returns. */
export type RowOf<Call> = Call extends (...given: never[]) => Promise<CallResult<Page<infer Row>>>
  ? Row
  : never;

/** The rows of all pages, from the cursor `from`. Requests a page when the rows of the previous page are used up. */
export async function* iterate<Row>(
  readPage: (cursor: string | undefined) => Promise<CallResult<Page<Row>>>,
  from: string | undefined,
): AsyncGenerator<Row, void, undefined> {
  let cursor = from;
  do {
    const page = unwrap(await readPage(cursor));
    yield* page.data;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
