import type { MessageResource } from '@trunkline/http/client';
import { MESSAGE_STATUSES, MESSAGE_TYPES } from '../../domain/message-status.ts';
import type { MessageStatus } from '../../domain/message-status.ts';
import { oneOfIn, present, textIn } from '../../router/search.ts';
import type { RawSearch } from '../../router/search.ts';

export interface MessagesSearch {
  readonly counterpart?: string;
  /** Words. */
  readonly q?: string;
  readonly status?: MessageStatus;
  readonly direction?: MessageResource['direction'];
  readonly type?: MessageResource['type'];
  readonly instance?: string;
  /** ISO 8601. */
  readonly before?: string;
  readonly cursor?: string;
}

export type ScheduledSearch = Pick<MessagesSearch, 'instance' | 'cursor'>;

export function scheduledSearch(search: RawSearch): ScheduledSearch {
  return present({ instance: textIn(search, 'instance', 40), cursor: textIn(search, 'cursor', 512) });
}

export function messagesSearch(search: RawSearch): MessagesSearch {
  return present({
    counterpart: textIn(search, 'counterpart', 64),
    q: textIn(search, 'q', 100),
    status: oneOfIn(search, 'status', MESSAGE_STATUSES),
    direction: oneOfIn(search, 'direction', ['inbound', 'outbound'] as const),
    type: oneOfIn(search, 'type', MESSAGE_TYPES),
    instance: textIn(search, 'instance', 40),
    before: textIn(search, 'before', 40),
    cursor: textIn(search, 'cursor', 512),
  });
}
