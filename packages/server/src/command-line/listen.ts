import { readEvent } from '@trunkline/receiver';
import type { RemoteEvent } from '@trunkline/http/client';
import type { Call, CommandHandler } from './command.ts';
import { eventLine, instanceOf } from './event-line.ts';
import { pause } from './pause.ts';
import { accepted, remoteService } from './remote-service.ts';
import type { RemoteService } from './remote-service.ts';
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
  let stream = await openStream(call, service, listener.after());
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
      await readStream(stream, listener, signal);
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
        const read = readEvent(event.body);
        if (read.ok && (instance === undefined || instanceOf(read.event) === instance)) {
          const forwarded =
            forwarder && (await forwarder.forward({ id, type: event.type, body: event.body }));
          output.result(
            { data: read.event, ...(forwarded && { forwarded }) },
            eventLine(read.event) + (forwarded ? `  ${answerOf(forwarded)}` : ''),
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

/** Resolves when the connection has ended, for whatever reason. */
async function readStream(
  stream: AsyncIterable<RemoteEvent>,
  listener: Listener,
  signal: AbortSignal,
): Promise<void> {
  const events = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await events.next().catch(() => null);
      if (next === null || next.done === true) return;
      await listener.take(next.value);
      signal.throwIfAborted();
    }
  } finally {
    await events.return?.();
  }
}

function openStream(
  call: Call,
  service: RemoteService,
  after: string | undefined,
): Promise<AsyncIterable<RemoteEvent>> {
  return accepted(service, askForStream(call, service, after)).then(({ data }) => data);
}

/** The same types each time: what the first stream left out, the next one does, too. */
function askForStream(
  call: Call,
  { client }: RemoteService,
  after: string | undefined,
): ReturnType<RemoteService['client']['events']['stream']> {
  const types = call.options.list('types')?.join(',');
  return client.events.stream({ types, last_event_id: after }, call);
}

/** Asks until the service responds. What it refuses ends the command. */
async function reopen(
  call: Call,
  service: RemoteService,
  listener: Listener,
): Promise<AsyncIterable<RemoteEvent>> {
  const { output, signal } = call;
  for (let isFirst = true; ; isFirst = false) {
    await pause(AGAIN_MS, signal);
    const asked = askForStream(call, service, listener.after());
    const reply = await asked;
    if (reply.ok) {
      if (!isFirst) output.note(`${service.url} responds again.`);
      return reply.data;
    }
    const { status } = reply.error;
    if (status !== null && status < 500 && status !== 429) return (await accepted(service, asked)).data;
    signal.throwIfAborted();
    if (isFirst) output.note(`${service.url} does not respond: it is asked again until it does.`);
  }
}

function answerOf({ status, duration_ms: ms, attempts }: Forwarded): string {
  const answer = status === null ? 'no response' : String(status);
  return `→ ${answer} in ${ms} ms${attempts > 1 ? `, attempt ${attempts}` : ''}`;
}
