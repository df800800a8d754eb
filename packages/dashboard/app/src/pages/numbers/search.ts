import { oneOfIn, present, textIn } from '../../router/search.ts';
import type { RawSearch } from '../../router/search.ts';
import { STATUSES } from '../../domain/number-status.ts';
import type { Status } from '../../domain/number-status.ts';

export interface NumbersSearch {
  readonly status?: Status;
}

export function numbersSearch(search: RawSearch): NumbersSearch {
  return present({ status: oneOfIn(search, 'status', STATUSES) });
}

export interface NumberSearch {
  /** The cursor of the timeline. */
  readonly cursor?: string;
}

export function numberSearch(search: RawSearch): NumberSearch {
  return present({ cursor: textIn(search, 'cursor') });
}
