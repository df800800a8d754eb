/** The rows of a table on Now, if fewer need attention. */
const ROWS = 20;
/** The service counts as many numbers or webhooks in one request. */
const COUNTED = 100;

/** The rows that need attention, and as many others as fit. The order is kept. */
export function listed<Row>(rows: readonly Row[], needsAttention: (row: Row) => boolean): readonly Row[] {
  const [well, troubled] = [rows.filter((row) => !needsAttention(row)), rows.filter(needsAttention)];
  return [...troubled, ...well.slice(0, Math.max(0, ROWS - troubled.length))];
}

/** The ids of the rows whose counts are read, separated by commas; the same for every order of the rows. */
export function idsOf(rows: readonly { readonly id: string }[]): string {
  return rows
    .slice(0, COUNTED)
    .map(({ id }) => id)
    .toSorted()
    .join(',');
}
