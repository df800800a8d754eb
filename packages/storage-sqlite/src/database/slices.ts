/**
 * The rows of one operation of a deletion or another sweep: few, because everything else in this process waits for an
 * operation to end.
 */
export const SLICE = 50;

/**
 * Writes at most `limit` rows, in operations of `SLICE` rows, so that other work gets its turn in between. `write`
 * writes at most as many rows as it is told, and returns their number: if there are fewer, none are left.
 */
export async function inSlices(limit: number, write: (rows: number) => Promise<number>): Promise<number> {
  let written = 0;
  while (written < limit) {
    const rows = Math.min(SLICE, limit - written);
    const now = await write(rows);
    written += now;
    if (now < rows) break;
  }
  return written;
}
