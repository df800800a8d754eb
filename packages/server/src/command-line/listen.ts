import { readEvent } from '@trunkline/receiver';
import type { WebhookEvent } from '@trunkline/receiver';
import { isClientError } from '@trunkline/http/client';
import type { CallResult, RemoteEvent, StreamResult } from '@trunkline/http/client';
import type { Call, CommandHandler } from './command.ts';
import { eventLine, instanceOf } from './event-line.ts';
import { pause } from './pause.ts';
import { failureOf, remoteService } from './remote-service.ts';
import type { RemoteService } from './remote-service.ts';
import { event as eventShape } from './service-shapes.ts';
import { createForwarder } from './webhook-forwarder.ts';
import type { Forwarded, WebhookForwarder } from './webhook-forwarder.ts';

/** Before the service is asked again that does not respond, or has ended the stream. */
const AGAIN_MS = 1_000;
/** Ids that are left out when they come again. A stream repeats a minute. */
const KNOWN_MAX = 10_000;

/** Prints events, and forwards them, until it is ended. */
export const listenCommand: CommandHandler = async (call) => {
  const { options, output, environment, signal } = call;
  const target = options.text('forward-to');
  const forwarder =
    target === undefined
      ? null
      : createForwarder({
          url: target,
          secret: environment['WEBHOOK_SECRET'] || undefined,
          signal,
          onDown: (reason) =>
            output.note(`${target} does not respond (${reason}): the event is sent again until it does.`),
        });
  const service = await remoteService(call);
  const listener = createListener(call, forwarder);
  let stream = await openStream(call, service, listener);
  if (forwarder) {
    output.note(`Each event is posted to ${target}.`);
    output.note(
      forwarder.isNew
        ? `They are signed with this secret: ${forwarder.secret} (set WEBHOOK_SECRET to keep one)`
        : 'They are signed with WEBHOOK_SECRET.',
    );
  }
  output.note('Waiting for events; Ctrl-C ends it.');
  try {
    for (;;) {
      await readStream(stream, listener, service);
      signal.throwIfAborted();
      stream = await reopen(call, service, listener);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    const last = listener.after();
    if (last !== undefined) output.note(`To continue: trunkline listen --after ${last}`);
  }
};

interface Listener {
  /** Where the next stream begins. */
  after(): string | undefined;
  take(one: RemoteEvent): Promise<void>;
}

function createListener(
  { options, output }: Pick<Call, 'options' | 'output'>,
  forwarder: WebhookForwarder | null,
): Listener {
  const instance = options.text('instance');
  const known = new Set<string>();
  let after = options.text('after');
  return {
    after: () => after,
    async take({ id, event }) {
      const isNews = event !== null && !known.has(id);
      if (isNews) {
        const read = eventIn({ id, event });
        if (read === null)
          output.note(`The event ${id} is left out: it is not as the API has it. Is this program too old?`);
        else if (instance === undefined || instanceOf(read) === instance) {
          const forwarded =
            forwarder && (await forwarder.forward({ id, type: event.type, body: event.body }));
          output.result(
            { data: read, ...(forwarded && { forwarded }) },
            eventLine(read) + (forwarded ? `  ${answerOf(forwarded)}` : ''),
          );
        }
        known.add(id);
        for (const oldest of known) {
          if (known.size <= KNOWN_MAX) break;
          known.delete(oldest);
        }
      }
      // Not before the program has it: who continues here repeats no more than what comes again anyway.
      after = id;
    },
  };
}

/** Null if it is none, or another one than the stream says: its headers as a webhook would be those of the other. */
function eventIn({ id, event }: RemoteEvent): WebhookEvent | null {
  const read = readEvent(event?.body ?? '');
  const isIt = read.ok && read.event.id === id && read.event.type === event?.type;
  return isIt && eventShape.safeParse(read.event).success ? read.event : null;
}

interface OpenStream {
  readonly events: AsyncIterable<RemoteEvent>;
  /** Breaks it off. */
  end(): void;
}

/**
 * Resolves when the connection has ended, for whatever reason, or brings nothing any more: a service that works sends a
 * position every 15 s. Rejects if what comes is no stream of the API.
 */
async function readStream(
  { events: stream, end }: OpenStream,
  listener: Listener,
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
      await listener.take(next.value);
    }
  } finally {
    end();
    await events.return?.();
  }
}

/** The same types each time: what the first stream left out, the next one does, too. */
async function askForStream(
  { options, signal }: Call,
  service: RemoteService,
  listener: Listener,
): Promise<{ readonly reply: CallResult<StreamResult>; end(): void }> {
  const query = { types: options.list('types')?.join(','), last_event_id: listener.after() };
  const life = new AbortController();
  const either = AbortSignal.any([signal, life.signal]);
  const reply = await service.client.events.stream(query, { signal: either });
  return { reply, end: () => life.abort() };
}

async function openStream(call: Call, service: RemoteService, listener: Listener): Promise<OpenStream> {
  const { reply, end } = await askForStream(call, service, listener);
  if (!reply.ok) throw failureOf(service.url, reply.error);
  return { events: reply.data, end };
}

/** Asks until the service responds. What it refuses ends the command. */
async function reopen(call: Call, service: RemoteService, listener: Listener): Promise<OpenStream> {
  const { output, signal } = call;
  for (let isFirst = true; ; isFirst = false) {
    await pause(AGAIN_MS, signal);
    const { reply, end } = await askForStream(call, service, listener);
    if (reply.ok) {
      if (!isFirst) output.note(`${service.url} responds again.`);
      return { events: reply.data, end };
    }
    signal.throwIfAborted();
    const { status } = reply.error;
    if (status !== null && status < 500 && status !== 429) throw failureOf(service.url, reply.error);
    if (isFirst) output.note(`${service.url} does not respond: it is asked again until it does.`);
  }
}

function answerOf({ status, duration_ms: ms, attempts }: Forwarded): string {
  const answer = status === null ? 'no response' : String(status);
  return `→ ${answer} in ${ms} ms${attempts > 1 ? `, attempt ${attempts}` : ''}`;
}
