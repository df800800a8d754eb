/** One page of a list, newest first, with the ways on. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly perPage: number;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
}
