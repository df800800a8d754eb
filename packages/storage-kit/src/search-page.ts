import { floorId, nextId, ROWS_EXAMINED_MAX } from '@trunkline/core/spi/storage';
import type { Message, Page, PageRequest } from '@trunkline/core/spi/storage';
import { readFoundPage } from './filtered-page.ts';
import type { Found, Search } from './filtered-page.ts';
import type { IdBound, PagePlan } from './page-plan.ts';
import { tokenOf } from './search-index.ts';
import type { SearchWindow } from './search-index.ts';

/**
 * The numbers of windows whose entries a search reads together, one after another; a search reads no more. The words of
 * most searches are all over the first window. Many windows together would be read in vain for them.
 */
const WINDOWS_READ = [1, 4, 15] as const;
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

/** A walk from window to window. */
export interface WindowWalk {
  /** The number of the first window that may count. */
  readonly from: number;
  /** Towards smaller numbers for `DESC`. */
  readonly order: PagePlan['order'];
  /** The maximum number of windows whose entries are read. */
  readonly windows: number;
  /** The maximum number of windows that are looked for, including those that are skipped. */
  readonly sought: number;
  /** Only ids within it are read; null for no limit. */
  readonly bound: IdBound | null;
  /** The maximum number of ids that are read of each window. */
  readonly count: number;
}

export interface WalkedWindow {
  readonly window: SearchWindow;
  /** The first ids of its entries that match the words, in the order of the walk. */
  readonly ids: readonly string[];
}

export interface Walked {
  /** The windows that have all tokens, in the order of the walk. */
  readonly windows: readonly WalkedWindow[];
  /** The number of windows that were looked for before `next`. */
  readonly sought: number;
  /** The window at which a limit stopped the walk; null if no further window has all tokens. */
  readonly next: SearchWindow | null;
}

/** The search index of one workspace, as a storage has it. */
export interface SearchIndex {
  /**
   * The window with the largest number, null if there is none; and the window that has this id, null if the id is after
   * all windows.
   */
  edges(
    id: string | null,
  ): Awaitable<{ readonly newest: SearchWindow | null; readonly begin: SearchWindow | null }>;
  walk(tokens: readonly string[], walk: WindowWalk): Awaitable<Walked>;
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
  const isEnough = (): boolean => rows.length >= wanted || examined >= ROWS_EXAMINED_MAX;
  /** Reads the messages with these ids. Returns where it stopped; null if it has read all and more are wanted. */
  const examine = async (ids: readonly string[]): Promise<string | null> => {
    for (let read = 0, step = wanted; read < ids.length; step = nextStep(step)) {
      const some = ids.slice(read, read + Math.min(step, ROWS_EXAMINED_MAX - examined));
      const passing = new Map((await index.messages(some)).map((message) => [message.id, message]));
      rows.push(...some.flatMap((id) => passing.get(id) ?? []));
      read += some.length;
      examined += some.length;
      if (isEnough()) return some.at(-1) ?? null;
    }
    return null;
  };
  /** Reads the matching entries of a range. Returns where it stopped; null at the end of the range. */
  const read = async (range: Omit<EntryRange, 'bound'>, from = bound): Promise<string | null> => {
    for (let within = from, step = wanted; ; step = nextStep(step)) {
      const count = Math.min(step, ROWS_EXAMINED_MAX - examined);
      const ids = await index.entries({ ...range, bound: within }, order, count);
      const stoppedAt = await examine(ids);
      if (stoppedAt !== null || ids.length < count) return stoppedAt;
      within = beyond(ids.at(-1) ?? '', order);
    }
  };
  /** Reads the rest of windows of which each has at most `wanted` ids so far. Returns where it stopped, or null. */
  const readWindows = async (windows: readonly WalkedWindow[]): Promise<string | null> => {
    let left = windows;
    while (left.length > 0) {
      const full = left.findIndex(({ ids }) => ids.length === wanted);
      const whole = full === -1 ? left : left.slice(0, full + 1);
      const stoppedAt = await examine(whole.flatMap(({ ids }) => ids));
      if (stoppedAt !== null) return stoppedAt;
      const last = whole.at(-1);
      if (full !== -1 && last) {
        const rest = await read(last.window, beyond(last.ids.at(-1) ?? '', order));
        if (rest !== null) return rest;
      }
      left = left.slice(whole.length);
    }
    return null;
  };
  const stopped = (at: string): Found<Message> =>
    rows.length >= wanted ? { rows: rows.slice(0, wanted), stoppedAt: null } : { rows, stoppedAt: at };

  const { newest, begin } = await index.edges(bound?.id ?? null);
  /** The entries that are in no window yet. */
  const latest = { after: newest?.last ?? null, last: null };
  if (order === 'DESC' && begin === null) {
    const stoppedAt = await read(latest);
    if (stoppedAt !== null) return stopped(stoppedAt);
  }
  let next = order === 'DESC' ? (begin ?? newest) : begin;
  let sought = 0;
  for (const windows of WINDOWS_READ) {
    if (next === null || sought === WINDOWS_SOUGHT_MAX) break;
    const walk = { from: next.number, order, windows, sought: WINDOWS_SOUGHT_MAX - sought };
    const walked: Walked = await index.walk(tokens, { ...walk, bound, count: wanted });
    const stoppedAt = await readWindows(walked.windows);
    if (stoppedAt !== null) return stopped(stoppedAt);
    sought += walked.sought;
    next = walked.next;
  }
  if (next !== null)
    return stopped(order === 'DESC' ? nextId('msg', next.last) : (next.after ?? floorId('msg', 0)));
  if (order === 'ASC') {
    const stoppedAt = await read(latest);
    if (stoppedAt !== null) return stopped(stoppedAt);
  }
  return { rows, stoppedAt: null };
}

function nextStep(step: number): number {
  return Math.min(Math.max(step * 4, 100), STEP_MAX);
}

function beyond(id: string, order: PagePlan['order']): IdBound {
  return { sign: order === 'DESC' ? '<' : '>', id };
}

/** The parts of an index with which `walkByToken` walks. */
export interface TokenIndex {
  /**
   * The window nearest to `from` (included) that has the token: the nearest with a smaller number for `DESC`, the
   * nearest with a larger number for `ASC`.
   */
  windowWith(token: string, from: number, order: PagePlan['order']): SearchWindow | null;
  entries(range: EntryRange, order: PagePlan['order'], count: number): readonly string[];
}

/** Walks with a query for each token of each window, which is best where queries cost little. */
export function walkByToken(
  { windowWith, entries }: TokenIndex,
  tokens: readonly string[],
  walk: WindowWalk,
): Walked {
  const { order, bound, count } = walk;
  const windows: WalkedWindow[] = [];
  let from = walk.from;
  for (let sought = 0; ; sought += 1) {
    const nearest = tokens.map((token) => windowWith(token, from, order));
    const farthest = farthestOf(nearest, order);
    if (farthest === null || windows.length === walk.windows || sought === walk.sought)
      return { windows, sought, next: farthest };
    const isEverywhere = nearest.every((window) => window?.number === farthest.number);
    if (isEverywhere) windows.push({ window: farthest, ids: entries({ ...farthest, bound }, order, count) });
    from = farthest.number + (isEverywhere ? (order === 'DESC' ? -1 : 1) : 0);
  }
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
