/** A window on a list that is ordered newest first, by id. */
export interface PageRequest {
  /**
   * Where to start: the rows right after (older than) or right before (newer than) this id; null for the first page.
   */
  readonly from: { readonly direction: 'older' | 'newer'; readonly id: string } | null;
  readonly limit: number;
}

export interface Page<Row> {
  /** Newest first, from whichever direction the page was reached. */
  readonly rows: readonly Row[];
  /**
   * Whether the filtered list continues beyond these rows at this moment. This is exact, not derived from `from`. A
   * page without rows is at `from`, and the row with exactly that id counts on the side from which the page was
   * reached.
   */
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}
