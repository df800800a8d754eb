import type { EventStream, EventStreamQuery, StreamedEvent, WorkspaceApi } from '@trunkline/core';
import { isTrunklineError } from '@trunkline/core';
import type { RouteResponse } from './route-response.ts';

/** How long a browser waits before it reconnects, in milliseconds. Browsers read this value from the stream. */
const RETRY_MS = 3_000;
/** The longest silence of the stream. Proxies close a connection that is silent for 30 to 60 s. */
const HEARTBEAT_MS = 15_000;
/** How often the key is checked again, and so how long a stream may outlive its key. */
const READMIT_MS = 5_000;
/** The longest time without a read before a stream is ended. */
const UNREAD_MAX_MS = 60_000;
/** A write takes no more events once it has this many characters. */
const CHUNK_CHARACTERS = 65_536;

interface EventStreamRequest {
  readonly api: Pick<WorkspaceApi, 'events'>;
  readonly query: EventStreamQuery;
  readonly request: Request;
  /** Rejects if the key may no longer read the stream, or cannot be checked. */
  readonly readmit: () => Promise<void>;
}

/** The events as server-sent events (HTML Living Standard, section 9.2). */
export async function eventStreamResponse({
  api,
  query,
  request,
  readmit,
}: EventStreamRequest): Promise<RouteResponse> {
  // The header wins, because a browser that reconnects repeats its original query.
  const lastEventId = request.headers.get('Last-Event-ID') ?? query.last_event_id;
  const stream = await api.events.stream({
    ...query,
    ...(lastEventId === undefined ? {} : { last_event_id: lastEventId }),
  });
  const isHead = request.method === 'HEAD';
  if (isHead) await stream.return();
  return {
    headers: {
      'Content-Type': 'text/event-stream',
      // Compression and nginx's buffering would delay events.
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
    },
    body: isHead ? null : bytesOf(stream, readmit),
  };
}

function bytesOf(stream: EventStream, readmit: () => Promise<void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let arriving: Promise<IteratorResult<StreamedEvent, undefined>> | null = null;
  let unread: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  const end = (): void => {
    isOver = true;
    clearTimeout(unread);
    clearInterval(admission);
    void stream.return();
  };
  const admission = setInterval(() => {
    readmit().catch((error: unknown) => {
      // If the key cannot be looked up now, events cannot be read either, so keep the stream.
      if (isTrunklineError(error) && error.code !== 'INTERNAL_ERROR') end();
    });
  }, READMIT_MS);

  /**
   * The next events as text, as soon as one arrives; a heartbeat if no event arrives in time. Null at the end of the
   * stream.
   */
  const nextText = async (): Promise<string | null> => {
    let text = '';
    while (text.length < CHUNK_CHARACTERS) {
      arriving ??= stream.next();
      const arrived = await within(text === '' ? HEARTBEAT_MS : 0, arriving);
      if (arrived === null) break;
      arriving = null;
      if (arrived.done) return text === '' ? null : text;
      text += eventText(arrived.value);
    }
    return text === '' ? heartbeat(stream.position) : text;
  };

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // A client that disconnects before the first event continues from this position.
        controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n${heartbeat(stream.position)}`));
        unread = setTimeout(end, UNREAD_MAX_MS);
      },
      async pull(controller) {
        clearTimeout(unread);
        try {
          const text = await nextText();
          if (text !== null) {
            controller.enqueue(encoder.encode(text));
            if (!isOver) unread = setTimeout(end, UNREAD_MAX_MS);
            return;
          }
          end();
          controller.close();
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

function eventText({ id, type, body }: StreamedEvent): string {
  // Usually one line, because the compact JSON has no line breaks.
  const data = body.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `id: ${id}\nevent: ${type}\n${data.join('')}\n`;
}

/** A comment and the position. Clients ignore an event without data, but keep its id. */
function heartbeat(position: string): string {
  return `: \nid: ${position}\n\n`;
}

/** Null if `work` takes longer than `ms`. */
async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
