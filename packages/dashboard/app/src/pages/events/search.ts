import { SUBSCRIBABLE_TYPES } from '../../domain/event-types.ts';
import type { SubscribableType } from '../../domain/event-types.ts';
import { oneOfIn, present, textIn } from '../../router/search.ts';
import type { RawSearch } from '../../router/search.ts';

export interface EventsSearch {
  readonly type?: SubscribableType;
  /** Shows only the events of this number, its past ones too. */
  readonly instance?: string;
}

export function eventsSearch(search: RawSearch): EventsSearch {
  return present({
    type: oneOfIn(search, 'type', SUBSCRIBABLE_TYPES),
    instance: textIn(search, 'instance', 64),
  });
}
