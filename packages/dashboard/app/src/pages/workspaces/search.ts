import { present, textIn } from '../../router/search.ts';
import type { RawSearch } from '../../router/search.ts';

export interface WorkspacesSearch {
  /** The id of the workspace after which the page begins. */
  readonly cursor?: string;
  /** A part of a name, or an id. */
  readonly find?: string;
}

export function workspacesSearch(search: RawSearch): WorkspacesSearch {
  return present({ cursor: textIn(search, 'cursor', 40), find: textIn(search, 'find', 64) });
}
