import { present, textIn } from '../../router/search.ts';
import type { RawSearch } from '../../router/search.ts';

export interface WorkspacesSearch {
  /** The workspace after which the page begins. */
  readonly cursor?: string;
}

export function workspacesSearch(search: RawSearch): WorkspacesSearch {
  return present({ cursor: textIn(search, 'cursor', 40) });
}
