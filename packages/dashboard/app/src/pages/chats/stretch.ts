/** A page of a list, as the API returns it. */
export interface ReadPage<Row> {
  /** Newest first. */
  readonly rows: readonly Row[];
  /** The cursors of the neighbouring pages; null if there are none. */
  readonly newer: string | null;
  readonly older: string | null;
}

/** The loaded part of a long list: some of its rows, without a gap. */
export interface Stretch<Row> extends ReadPage<Row> {
  /** The position of the newest row of the list, which may not be loaded; empty if the list is empty. */
  readonly newest: string;
  /** The pages that it was read by, newest first: it can be cut between them. */
  readonly pages: readonly ReadMark[];
}

interface ReadMark {
  /** The positions of the first and the last row. */
  readonly first: string;
  readonly last: string;
  readonly newer: string | null;
  readonly older: string | null;
}

interface Order<Row> {
  /** Where the row is in the list. Later rows have greater positions. */
  at(row: Row): string;
  /** Identifies the row. A chat keeps its key when a new message moves it to the top. */
  key(row: Row): string;
}

/** A stretch that grows beyond this many rows is cut at its other end, so that neither memory nor the page fills. */
export const STRETCH_MAX = 300;

export interface Stretches<Row> {
  /** A stretch that begins at the newest row. */
  begin(page: ReadPage<Row>): Stretch<Row>;
  /** Whether a read that begins at the newest row reaches the oldest known one, or the end of the list. */
  reaches(fresh: ReadPage<Row>, known: Stretch<Row> | undefined): boolean;
  /**
   * Joins a read that begins at the newest row with the known older rows, which the user may be reading. If there is a
   * gap between them, the stretch starts over. One whose newest rows were cut off keeps its rows.
   */
  withNewest(fresh: ReadPage<Row>, known: Stretch<Row> | undefined): Stretch<Row>;
  withOlder(known: Stretch<Row>, page: ReadPage<Row>): Stretch<Row>;
  withNewer(known: Stretch<Row>, page: ReadPage<Row>): Stretch<Row>;
  /** Adds a row that was just created, so that it shows before the next read. */
  withCreated(known: Stretch<Row>, row: Row): Stretch<Row>;
  /** Cuts the oldest pages off a stretch that is too long. Returns the same stretch if it is not. */
  cut(known: Stretch<Row>): Stretch<Row>;
}

export function stretchesOf<Row>({ at, key }: Order<Row>): Stretches<Row> {
  const firstOf = (rows: readonly Row[]): string => (rows[0] === undefined ? '' : at(rows[0]));
  const lastOf = (rows: readonly Row[]): string => {
    const last = rows.at(-1);
    return last === undefined ? '' : at(last);
  };
  const markOf = ({ rows, newer, older }: ReadPage<Row>): ReadMark => ({
    first: firstOf(rows),
    last: lastOf(rows),
    newer,
    older,
  });
  /** The rows of `of` that are not among `others`. */
  const without = (of: readonly Row[], others: readonly Row[]): readonly Row[] => {
    const keys = new Set(others.map(key));
    return of.filter((row) => !keys.has(key(row)));
  };

  const begin = (page: ReadPage<Row>): Stretch<Row> => ({
    ...page,
    newest: firstOf(page.rows),
    pages: [markOf(page)],
  });

  const cut = (known: Stretch<Row>): Stretch<Row> => {
    if (known.rows.length <= STRETCH_MAX) return known;
    const kept = known.pages.findLastIndex(
      ({ last, older }) =>
        older !== null && known.rows.filter((row) => at(row) >= last).length <= STRETCH_MAX,
    );
    const mark = known.pages[kept];
    if (!mark || mark.last <= lastOf(known.rows)) return known;
    const rows = known.rows.filter((row) => at(row) >= mark.last);
    return { ...known, rows, older: mark.older, pages: known.pages.slice(0, kept + 1) };
  };

  const cutNewest = (known: Stretch<Row>): Stretch<Row> => {
    if (known.rows.length <= STRETCH_MAX) return known;
    const from = known.pages.findIndex(
      ({ first, newer }) =>
        newer !== null && known.rows.filter((row) => at(row) <= first).length <= STRETCH_MAX,
    );
    const mark = known.pages[from];
    if (!mark) return known;
    const rows = known.rows.filter((row) => at(row) <= mark.first);
    return { ...known, rows, newer: mark.newer, pages: known.pages.slice(from) };
  };

  return {
    begin,
    cut,
    reaches(fresh, known) {
      const last = lastOf(fresh.rows);
      if (known === undefined || known.rows.length === 0 || fresh.older === null) return true;
      return known.newer !== null || (last !== '' && last <= lastOf(known.rows));
    },
    withNewest(fresh, known) {
      if (known === undefined || known.rows.length === 0 || fresh.rows.length === 0) return begin(fresh);
      const newest = firstOf(fresh.rows);
      if (known.newer !== null) return newest > known.newest ? { ...known, newest } : known;
      const oldest = lastOf(known.rows);
      const last = lastOf(fresh.rows);
      if (fresh.older !== null && last > firstOf(known.rows)) return begin(fresh);
      const shown = fresh.rows.filter((row) => at(row) >= oldest);
      const pages = [markOf(fresh), ...known.pages.filter(({ newer }) => newer !== null)];
      // A read of the whole list lacks the rows that were deleted.
      const rest =
        fresh.older === null
          ? []
          : without(
              known.rows.filter((row) => at(row) < last),
              fresh.rows,
            );
      const older = fresh.older === null && last >= oldest ? null : known.older;
      return { rows: [...shown, ...rest], newer: null, older, newest, pages };
    },
    withOlder(known, page) {
      const oldest = lastOf(known.rows);
      const further = without(
        page.rows.filter((row) => oldest === '' || at(row) < oldest),
        known.rows,
      );
      const pages = page.rows.length === 0 ? known.pages : [...known.pages, markOf(page)];
      return cutNewest({ ...known, rows: [...known.rows, ...further], older: page.older, pages });
    },
    withNewer(known, page) {
      const closer = page.rows.filter((row) => at(row) > firstOf(known.rows));
      const newest = firstOf(page.rows) > known.newest ? firstOf(page.rows) : known.newest;
      const pages = page.rows.length === 0 ? known.pages : [markOf(page), ...known.pages];
      const rows = [...closer, ...without(known.rows, closer)];
      return cut({ ...known, rows, newer: page.newer, newest, pages });
    },
    withCreated(known, row) {
      if (known.newer !== null || at(row) <= firstOf(known.rows)) return known;
      return { ...known, rows: [row, ...without(known.rows, [row])], newest: at(row) };
    },
  };
}
