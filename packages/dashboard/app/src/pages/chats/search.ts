import { present, textIn } from '../../router/search.ts';
import type { RawSearch } from '../../router/search.ts';

export interface ChatsSearch {
  /** The id of a number; if omitted, the only number. */
  readonly instance?: string;
  /** A part of a name or of a number. */
  readonly find?: string;
  readonly cursor?: string;
}

export function chatsSearch(search: RawSearch): ChatsSearch {
  return present({
    instance: textIn(search, 'instance', 40),
    find: textIn(search, 'find', 64),
    cursor: textIn(search, 'cursor', 512),
  });
}

export interface ChatSearch {
  readonly instance?: string;
}

export function chatSearch(search: RawSearch): ChatSearch {
  return present({ instance: textIn(search, 'instance', 40) });
}
