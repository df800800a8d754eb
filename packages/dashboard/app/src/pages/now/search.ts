import { oneOfIn, present } from '../../router/search.ts';
import type { RawSearch } from '../../router/search.ts';

export const RANGES = ['1h', '24h', '7d', '30d'] as const;
export type Range = (typeof RANGES)[number];
export const DEFAULT_RANGE: Range = '24h';

export interface NowSearch {
  /** The default one is left out, so that each view has one address. */
  readonly range?: Range;
}

export function nowSearch(search: RawSearch): NowSearch {
  const range = oneOfIn(search, 'range', RANGES);
  return present({ range: range === DEFAULT_RANGE ? undefined : range });
}
