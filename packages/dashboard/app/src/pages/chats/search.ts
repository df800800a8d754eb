import { present, textIn } from '../../router/search.ts';
import type { RawSearch } from '../../router/search.ts';

/** The list of chats and an open chat have the same, so that the list stays as it is when a chat is opened. */
export interface ChatsSearch {
  /** The id of a number; if omitted, the only number. */
  readonly instance?: string;
  /** A part of a name or of a number. */
  readonly find?: string;
}

export function chatsSearch(search: RawSearch): ChatsSearch {
  return present({
    instance: textIn(search, 'instance', 40),
    find: textIn(search, 'find', 64),
  });
}
