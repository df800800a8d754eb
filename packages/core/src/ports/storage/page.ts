/** A window on a list that is ordered newest first, by id. */
export interface PageRequest {
  /** Where to start: the rows right after (older than) or right before (newer than) this id; null is the first page. */
  readonly from: { readonly direction: 'older' | 'newer'; readonly id: string } | null;
  readonly limit: number;
}

export interface Page<Row> {
  /** Newest first, whichever way the page was reached. */
  readonly rows: readonly Row[];
  /**
   * Whether the list, as it is filtered, goes on before and after these rows at this moment: exact, not guessed from
   * `from`. A page without rows lies at `from`, and the row with that very id counts on the side that the page was
   * reached from.
   */
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}
