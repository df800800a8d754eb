import type {
  ChatQuery,
  ChatResource,
  EventQuery,
  HistoryQuery,
  InstanceHistoryResource,
  NewGroupInput,
  NewGroupResource,
} from '@trunkline/core';
import type { CallResult } from './call-result.ts';
import { iterate } from './iterate.ts';
import type { RowOf } from './iterate.ts';
import { OPERATIONS } from './operations.ts';
import type { CallOptions, RemoteApi } from './remote-api.ts';
import { requestOnce } from './request-once.ts';
import type { SendOptions } from './request-once.ts';
import { pathOf } from './request.ts';
import type { Transport } from './transport.ts';

/** The calls about instances that the client adds to those of `RemoteApi`, or replaces. */
export interface InstanceCalls {
  /** Creates a group. It is created once, even if the client repeats the request. */
  createGroup(id: string, group: NewGroupInput, options?: SendOptions): Promise<CallResult<CreatedGroup>>;
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

/** The group that this request created, or that an earlier request with the same idempotency key created. */
export interface CreatedGroup {
  /** The group as it is now, with the outcome for each participant. */
  readonly data: NewGroupResource;
  /** Whether this key was used for the same group before, so nothing was created. */
  readonly replayed: boolean;
}

export function instanceCalls(
  transport: Transport,
  { chats, events, history }: RemoteApi['instances'],
): InstanceCalls {
  const { method, path } = OPERATIONS.instances.createGroup;
  return {
    createGroup: (id, json, options) =>
      requestOnce(transport, { method, path: pathOf(path, id), json }, options),
    iterateChats: (id, query, options) =>
      iterate((cursor) => chats(id, { ...query, cursor }, options), query?.cursor),
    iterateEvents: (id, query, options) =>
      iterate((cursor) => events(id, { ...query, cursor }, options), query?.cursor),
    iterateHistory: (id, query, options) =>
      iterate((cursor) => history(id, { ...query, cursor }, options), query?.cursor),
  };
}
