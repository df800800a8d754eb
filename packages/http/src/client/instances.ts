import type {
  ChatQuery,
  ChatResource,
  EventQuery,
  HistoryQuery,
  InstanceHistoryResource,
} from '@trunkline/core';
import { iterate } from './iterate.ts';
import type { RowOf } from './iterate.ts';
import type { CallOptions, RemoteApi } from './remote-api.ts';

/** The calls about instances that exist only in the client. */
export interface InstanceCalls {
  /**
   * Every chat, the one with the newest message first. Requests each page when it is needed. Throws a ClientError on
   * failure.
   */
  iterateChats(id: string, query?: ChatQuery, options?: CallOptions): AsyncIterable<ChatResource>;
  /** Every event about the instance and its messages, newest first; pages and errors as in `iterateChats`. */
  iterateEvents(
    id: string,
    query?: EventQuery,
    options?: CallOptions,
  ): AsyncIterable<RowOf<RemoteApi['instances']['events']>>;
  /** The history of the instance, newest entry first; pages and errors as in `iterateChats`. */
  iterateHistory(
    id: string,
    query?: HistoryQuery,
    options?: CallOptions,
  ): AsyncIterable<InstanceHistoryResource>;
}

export function instanceCalls({ chats, events, history }: RemoteApi['instances']): InstanceCalls {
  return {
    iterateChats: (id, query, options) =>
      iterate((cursor) => chats(id, { ...query, cursor }, options), query?.cursor),
    iterateEvents: (id, query, options) =>
      iterate((cursor) => events(id, { ...query, cursor }, options), query?.cursor),
    iterateHistory: (id, query, options) =>
      iterate((cursor) => history(id, { ...query, cursor }, options), query?.cursor),
  };
}
