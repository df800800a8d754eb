/** Selects a page of a list that is ordered by id, newest first. */
export interface PageRequest {
  /**
   * The start of the page: the rows right after (older than) or right before (newer than) this id; null for the first
   * page.
   */
  readonly from: { readonly direction: 'older' | 'newer'; readonly id: string } | null;
  readonly limit: number;
}

export interface Page<Row> {
  /** Newest first, from whichever direction the page was reached. */
  readonly rows: readonly Row[];
  /**
   * Whether the filtered list has older (newer) rows than this page at this moment, looked up exactly unless the page
   * stopped early. An empty page is at `from`; a row with exactly that id then counts as being on the side that the
   * page was reached from.
   */
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  /**
   * The start of the next page of older rows, if that is not after the last row. A lookup that filters row by row stops
   * after `ROWS_EXAMINED_MAX`, and then `hasOlder` means that the lookup has not seen the end. `newerFrom` is the same
   * for newer rows. Absent otherwise.
   */
  readonly olderFrom?: string;
  readonly newerFrom?: string;
}

/** The maximum number of rows that a page examines, if an index alone cannot find the rows that pass its filter. */
export const ROWS_EXAMINED_MAX = 2_000;
