import { readEvent } from '@trunkline/receiver';
import type { WebhookEvent } from '@trunkline/receiver';
import type { RemoteEvent } from '@trunkline/http/client';
import type { Call, CommandHandler } from './command.ts';
import { eventLine, instanceOf } from '../terminal/event-line.ts';
import { openStream, readStream, reopenStream } from './remote-events.ts';
import type { EventReader } from './remote-events.ts';
import { remoteService } from './remote-service.ts';
import { event as eventShape } from './service-shapes.ts';
import { createForwarder } from './webhook-forwarder.ts';
import type { Forwarded, WebhookForwarder } from './webhook-forwarder.ts';

/** How many event ids to remember, because a stream repeats up to a minute of events. */
const KNOWN_MAX = 10_000;

/** Prints events, and with `--forward-to` also posts them, until the command is interrupted. */
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
      stream = await reopenStream(call, service, listener);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    const last = listener.after();
    if (last !== undefined) output.note(`To continue: trunkline listen --after ${last}`);
  }
};

function createListener(
  { options, output }: Pick<Call, 'options' | 'output'>,
  forwarder: WebhookForwarder | null,
): EventReader {
  const instance = options.text('instance');
  const known = new Set<string>();
  let after = options.text('after');
  return {
    types: options.list('types')?.join(','),
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
      // Set only after the event was printed and forwarded, so that a reopened stream misses no event.
      after = id;
    },
  };
}

/**
 * Null if the body is not an event, or differs from the stream in id or type, because it would be forwarded with the
 * wrong headers.
 */
function eventIn({ id, event }: RemoteEvent): WebhookEvent | null {
  const read = readEvent(event?.body ?? '');
  const isIt = read.ok && read.event.id === id && read.event.type === event?.type;
  return isIt && eventShape.safeParse(read.event).success ? read.event : null;
}

function answerOf({ status, duration_ms: ms, attempts }: Forwarded): string {
  const answer = status === null ? 'no response' : String(status);
  return `→ ${answer} in ${ms} ms${attempts > 1 ? `, attempt ${attempts}` : ''}`;
}
