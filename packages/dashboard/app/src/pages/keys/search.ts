import { KEY_STATES } from '../../domain/key-state.ts';
import type { KeyState } from '../../domain/key-state.ts';
import { oneOfIn, present } from '../../router/search.ts';
import type { RawSearch } from '../../router/search.ts';

export interface KeysSearch {
  readonly state?: KeyState;
}

export function keysSearch(search: RawSearch): KeysSearch {
  return present({ state: oneOfIn(search, 'state', KEY_STATES) });
}
