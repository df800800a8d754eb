import { textIn } from '../../router/search.ts';
import type { RawSearch } from '../../router/search.ts';

export interface SignInSearch {
  /** A path of the dashboard to go to afterwards. */
  readonly next?: string;
}

/** A path alone: never the address of another site. */
export function signInSearch(search: RawSearch): SignInSearch {
  const next = textIn(search, 'next', 2_000);
  return next !== undefined && /^\/(?![/\\])/.test(next) ? { next } : {};
}
