import type { EventStreamQuery } from '@trunkline/core';
import { clientFailure } from './call-result.ts';
import type { CallResult } from './call-result.ts';
import { OPERATIONS } from './operations.ts';
import type { CallOptions } from './remote-api.ts';
import { readServerSentEvents, unexpectedStream } from './server-sent-events.ts';
import type { Transport } from './transport.ts';

/** The calls about events that the client replaces. */
export interface EventCalls {
  /**
   * The events of the workspace as they happen. `data` ends when the connection ends. To continue, open a stream with
   * the last `id` as `last_event_id`, and skip events that you already have.
   */
  stream(query?: EventStreamQuery, options?: CallOptions): Promise<CallResult<StreamResult>>;
}

/** A stream of events. */
export interface StreamResult {
  /**
   * The items. Iterating throws the error of the connection if the connection breaks, and a ClientError if the content
   * is not a stream of the API.
   */
  readonly data: AsyncIterable<RemoteEvent>;
}

/** An item of a stream: an event, or only a position. */
export interface RemoteEvent {
  /** The position to continue from. */
  readonly id: string;
  /** Null for a position, which comes first, and after every 15 s without an event. */
  readonly event: {
    /** The type, such as `message.received`. */
    readonly type: string;
    /** The same JSON that webhooks carry, byte for byte. `readEvent` of `@trunkline/receiver` reads it. */
    readonly body: string;
  } | null;
}

export function eventCalls(transport: Transport): EventCalls {
  return {
    async stream({ last_event_id: last, ...query } = {}, { signal } = {}) {
      const { method, path } = OPERATIONS.events.stream;
      const headers = last === undefined ? {} : { 'Last-Event-ID': last };
      const response = await transport({ method, path, query, headers, wantsEvents: true, signal });
      if (!response.ok) return response;
      const { requestId, content } = response;
      if (!content) return clientFailure('UNEXPECTED_RESPONSE', 'The stream has no body.', { requestId });
      return { ok: true, requestId, data: eventsIn(content) };
    },
  };
}

/**
 * Allows only characters that are safe in a header, because an id is sent in the header of the next request, and in
 * that of a webhook that forwards the event.
 */
const ID = /^[\w.:-]{1,200}$/;
const TYPE = /^[\w.-]{1,100}$/;

async function* eventsIn(content: ReadableStream<Uint8Array>): AsyncGenerator<RemoteEvent, void, undefined> {
  for await (const { id, type, data } of readServerSentEvents(content)) {
    if (id === null) continue;
    if (!ID.test(id) || !TYPE.test(type)) throw unexpectedStream('an id or a type is not of the API');
    yield { id, event: data === null ? null : { type, body: data } };
  }
}
