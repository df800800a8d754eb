import type { Call } from './command.ts';
import { CommandError, EXIT } from '../errors/command-error.ts';

const MOST = 10_000;
const PER_PAGE = 100;

export interface RowsAskedFor {
  readonly limit: number;
  /** A time, which the service validates. */
  readonly before?: string | undefined;
}

export interface PageAskedFor extends RowsAskedFor {
  readonly cursor: string | undefined;
}

interface Page<Row> {
  readonly data: readonly Row[];
  readonly nextCursor: string | null;
}

export function rowsAskedFor({ options }: Pick<Call, 'options'>, byDefault: number): RowsAskedFor {
  const limit = options.whole('limit', { min: 1, max: MOST }) ?? byDefault;
  return { limit, before: options.text('before') };
}

/** The maximum number of pages to read. A page may have fewer rows than requested, or none. */
const MOST_PAGES = 1_000;

/** Reads the newest requested rows, from as many pages as needed. */
export async function readRows<Row>(
  { limit, before }: RowsAskedFor,
  pageOf: (page: PageAskedFor) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  for (let pages = 1; pages <= MOST_PAGES; pages++) {
    const { data, nextCursor } = await pageOf({
      limit: Math.min(PER_PAGE, limit - rows.length),
      before,
      cursor,
    });
    rows.push(...data);
    cursor = nextCursor ?? undefined;
    if (cursor === undefined || rows.length >= limit) return rows.slice(0, limit);
  }
  throw new CommandError(
    `The service has not come to the end of the list in ${MOST_PAGES} pages: try again.`,
    {
      exitCode: EXIT.unreachable,
      code: 'UNEXPECTED_RESPONSE',
    },
  );
}
