import type { Call } from './command.ts';

const MOST = 10_000;
const PER_PAGE = 100;

interface PageAskedFor {
  readonly limit: number;
  readonly cursor: string | undefined;
}

interface Page<Row> {
  readonly data: readonly Row[];
  readonly nextCursor: string | null;
}

/** How many rows of a list `--limit` asks for. */
export function rowLimit({ options }: Pick<Call, 'options'>, byDefault: number): number {
  return options.whole('limit', { min: 1, max: MOST }) ?? byDefault;
}

/** The first `limit` rows of a list, from as many pages as that takes. */
export async function readRows<Row>(
  limit: number,
  pageOf: (page: PageAskedFor) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const { data, nextCursor } = await pageOf({ limit: Math.min(PER_PAGE, limit - rows.length), cursor });
    rows.push(...data);
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined && rows.length < limit);
  return rows;
}
