import { textIn } from '../../router/search.ts';
import type { RawSearch } from '../../router/search.ts';

export interface SignInSearch {
  /** The path within the dashboard to open after the sign-in. */
  readonly next?: string;
}

const HERE = 'https://dashboard.invalid';

/** Accepts only paths, so that no address of another site gets through. */
export function signInSearch(search: RawSearch): SignInSearch {
  const next = textIn(search, 'next', 2_000);
  return next?.startsWith('/') && URL.parse(next, HERE)?.origin === HERE ? { next } : {};
}
