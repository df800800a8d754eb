import { textIn } from '../../router/search.ts';
import type { RawSearch } from '../../router/search.ts';

export interface SignInSearch {
  /** A path of the dashboard to go to afterwards. */
  readonly next?: string;
}

const HERE = 'https://dashboard.invalid';

/** Accepts only a path: never the address of another site, however it is written. */
export function signInSearch(search: RawSearch): SignInSearch {
  const next = textIn(search, 'next', 2_000);
  return next?.startsWith('/') && URL.parse(next, HERE)?.origin === HERE ? { next } : {};
}
