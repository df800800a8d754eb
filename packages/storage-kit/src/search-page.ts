import { floorId, nextId, ROWS_EXAMINED_MAX } from '@trunkline/core/spi/storage';
import type { Message, Page, PageRequest } from '@trunkline/core/spi/storage';
import { readFoundPage } from './filtered-page.ts';
import type { Found, Search } from './filtered-page.ts';
import type { IdBound, PagePlan } from './page-plan.ts';
import { tokenOf } from './search-index.ts';
import type { SearchWindow } from './search-index.ts';

/** The maximum number of windows whose entries a search reads. */
const WINDOWS_READ_MAX = 20;
/** The maximum number of windows that a search looks for, including those that it skips. */
const WINDOWS_SOUGHT_MAX = 200;
/** The number of entries in a step. */
const STEP_MAX = 400;

type Awaitable<Value> = Promise<Value> | Value;

/** The ids of entries after `after` up to `last` (null for no limit) that are within the bound. */
export interface EntryRange {
  readonly after: string | null;
  readonly last: string | null;
  readonly bound: IdBound | null;
}

/** The search index of one workspace, as a storage has it. */
export interface SearchIndex {
  /** The window with the largest number; null if there is none. */
  newestWindow(): Awaitable<SearchWindow | null>;
  /** The window that has this id; null if the id is after all windows. */
  windowOf(id: string): Awaitable<SearchWindow | null>;
  /**
   * For each token, the window nearest to `from` (included) that has it: the nearest with a smaller number for `DESC`,
   * the nearest with a larger number for `ASC`.
   */
  windowsWith(
    tokens: readonly string[],
    from: number,
    order: PagePlan['order'],
  ): Awaitable<readonly (SearchWindow | null)[]>;
  /** The first `count` ids of entries that match the words, in this order. */
  entries(range: EntryRange, order: PagePlan['order'], count: number): Awaitable<readonly string[]>;
  /** The messages with these ids that pass the filter, in any order. */
  messages(ids: readonly string[]): Awaitable<readonly Message[]>;
}

/** Reads a page of the messages that match words. If a search stops before it has found enough, the page says where. */
export function readSearchPage(
  request: PageRequest,
  words: readonly string[],
  index: SearchIndex,
): Promise<Page<Message>> {
  const tokens = words.map(tokenOf);
  return readFoundPage(request, (search) => searchEntries(index, tokens, search));
}

async function searchEntries(
  index: SearchIndex,
  tokens: readonly string[],
  { bound, order, wanted }: Search,
): Promise<Found<Message>> {
  const rows: Message[] = [];
  let examined = 0;
  /** Reads the matching entries of a range. Returns where it stopped; null at the end of the range. */
  const read = async (range: Omit<EntryRange, 'bound'>): Promise<string | null> => {
    let from = bound;
    let step = wanted;
    for (;;) {
      const count = Math.min(step, ROWS_EXAMINED_MAX - examined);
      const ids = await index.entries({ ...range, bound: from }, order, count);
      const passing = new Map((await index.messages(ids)).map((message) => [message.id, message]));
      rows.push(...ids.flatMap((id) => passing.get(id) ?? []));
      examined += ids.length;
      const last = ids.at(-1);
      if (last === undefined) return null;
      if (rows.length >= wanted || examined >= ROWS_EXAMINED_MAX) return last;
      if (ids.length < count) return null;
      from = { sign: order === 'DESC' ? '<' : '>', id: last };
      step = Math.min(Math.max(step * 4, 100), STEP_MAX);
    }
  };
  const stopped = (at: string): Found<Message> =>
    rows.length >= wanted ? { rows: rows.slice(0, wanted), stoppedAt: null } : { rows, stoppedAt: at };

  const newest = await index.newestWindow();
  const begin = bound === null ? null : await index.windowOf(bound.id);
  /** The entries that are in no window yet. */
  const latest = { after: newest?.last ?? null, last: null };
  if (order === 'DESC' && begin === null) {
    const stoppedAt = await read(latest);
    if (stoppedAt !== null) return stopped(stoppedAt);
  }
  let from = (order === 'DESC' ? (begin ?? newest) : begin)?.number ?? null;
  let windowsRead = 0;
  for (let sought = 0; from !== null; sought += 1) {
    const nearest = await index.windowsWith(tokens, from, order);
    const farthest = farthestOf(nearest, order);
    if (farthest === null) break;
    if (windowsRead === WINDOWS_READ_MAX || sought === WINDOWS_SOUGHT_MAX) {
      return stopped(order === 'DESC' ? nextId('msg', farthest.last) : (farthest.after ?? floorId('msg', 0)));
    }
    if (nearest.some((window) => window?.number !== farthest.number)) {
      from = farthest.number;
      continue;
    }
    windowsRead += 1;
    const stoppedAt = await read(farthest);
    if (stoppedAt !== null) return stopped(stoppedAt);
    from = farthest.number + (order === 'DESC' ? -1 : 1);
  }
  if (order === 'ASC') {
    const stoppedAt = await read(latest);
    if (stoppedAt !== null) return stopped(stoppedAt);
  }
  return { rows, stoppedAt: null };
}

/** The window that is farthest in this order; null if there is a token without a window. */
function farthestOf(
  windows: readonly (SearchWindow | null)[],
  order: PagePlan['order'],
): SearchWindow | null {
  let farthest: SearchWindow | null = null;
  for (const window of windows) {
    if (window === null) return null;
    if (farthest === null || window.number > farthest.number === (order === 'ASC')) farthest = window;
  }
  return farthest;
}
