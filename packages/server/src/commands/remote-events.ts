import { isClientError } from '@trunkline/http/client';
import type { CallResult, RemoteEvent, StreamResult } from '@trunkline/http/client';
import type { Call } from './command.ts';
import { pause } from './pause.ts';
import { failureOf } from './remote-service.ts';
import type { RemoteService } from './remote-service.ts';

/** How long to wait before a new request to a service that does not respond, or has ended the stream. */
const AGAIN_MS = 1_000;

export interface EventReader {
  /** The event types, comma-separated; if undefined, those of the specification. */
  readonly types: string | undefined;
  /** The event id after which the next stream begins. */
  after(): string | undefined;
  take(one: RemoteEvent): Promise<void>;
}

export interface OpenStream {
  readonly events: AsyncIterable<RemoteEvent>;
  end(): void;
}

/**
 * Resolves when the connection has ended, for any reason, or has gone silent (a working service sends a heartbeat every
 * 15 s). Rejects if the response is not a stream of the API.
 */
export async function readStream(
  { events: stream, end }: OpenStream,
  reader: EventReader,
  { url, timeoutMs }: RemoteService,
): Promise<void> {
  const events = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const timer = setTimeout(end, timeoutMs);
      const next = await events
        .next()
        .catch((error: unknown) => {
          if (isClientError(error)) throw failureOf(url, error.error);
          return null;
        })
        .finally(() => clearTimeout(timer));
      if (next === null || next.done === true) return;
      await reader.take(next.value);
    }
  } finally {
    end();
    await events.return?.();
  }
}

/** Requests a stream that begins after the last event taken. */
async function askForStream(
  { signal }: Call,
  service: RemoteService,
  reader: EventReader,
): Promise<{ readonly reply: CallResult<StreamResult>; end(): void }> {
  const query = { types: reader.types, last_event_id: reader.after() };
  const life = new AbortController();
  const either = AbortSignal.any([signal, life.signal]);
  const reply = await service.client.events.stream(query, { signal: either });
  return { reply, end: () => life.abort() };
}

export async function openStream(
  call: Call,
  service: RemoteService,
  reader: EventReader,
): Promise<OpenStream> {
  const { reply, end } = await askForStream(call, service, reader);
  if (!reply.ok) throw failureOf(service.url, reply.error);
  return { events: reply.data, end };
}

/** Retries every second until the service opens a stream. Throws, which ends the command, if the service refuses. */
export async function reopenStream(
  call: Call,
  service: RemoteService,
  reader: EventReader,
): Promise<OpenStream> {
  const { output, signal } = call;
  for (let isFirst = true; ; isFirst = false) {
    await pause(AGAIN_MS, signal);
    const { reply, end } = await askForStream(call, service, reader);
    if (reply.ok) {
      if (!isFirst) output.note(`${service.url} responds again.`);
      return { events: reply.data, end };
    }
    signal.throwIfAborted();
    const { status } = reply.error;
    if (!isForNow(status)) throw failureOf(service.url, reply.error);
    if (isFirst) output.note(`${service.url} does not respond: trying again until it does.`);
  }
}

/** Whether a request failed for a temporary reason: no response, a server error, or too many requests. */
export function isForNow(status: number | null): boolean {
  return status === null || status >= 500 || status === 429;
}
