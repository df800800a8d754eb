import type { Instance } from '../../domain/instance/instance.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IncomingFile, IncomingMessage } from '../../ports/gateway.ts';
import { unlessLate } from '../../runtime/deadline.ts';
import type { ServiceContext } from '../context.ts';
import { storeUpload } from './uploads.ts';
import type { StoredUpload } from './uploads.ts';

/** A network that sends nothing of a file for this long is not waited for: the message matters more. */
const DOWNLOAD_STALLED_MS = 60_000;

const NOT_STORED =
  'the file of a received message could not be stored, so the message is not acknowledged and the network delivers it again: restore the media store; err says what it lacks';

/** The file of a message that has arrived. */
interface FileArrival {
  /** Of the message: its file is kept under it. */
  readonly id: string;
  readonly incoming: Pick<IncomingMessage, 'networkId'>;
  readonly file: IncomingFile;
}

/**
 * Stores the file of an inbound message as the network delivers it. Null where the network does not deliver it; rejects
 * where it does and the file cannot be stored here.
 */
export async function receiveFile(
  context: ServiceContext,
  { instance, signal }: { readonly instance: Pick<Instance, 'id'>; readonly signal: AbortSignal },
  { id, incoming, file }: FileArrival,
): Promise<StoredUpload | null> {
  const { clock, logger } = context;
  const facts = { instanceId: instance.id, networkId: incoming.networkId };
  const content = sourceStream(
    timelyStream(clock, DOWNLOAD_STALLED_MS, () => file.open()),
    signal,
  );
  try {
    const stored = await storeUpload(context, { content, type: null, contentId: id });
    if (stored.ok) return stored.value;
    logger.warn(
      { ...facts, code: stored.refusal.code },
      'the file of a received message was refused, for the reason in code: the message is stored without it',
    );
  } catch (error) {
    signal.throwIfAborted();
    if (!isSourceFailure(error)) {
      logger.error({ ...facts, err: error }, NOT_STORED);
      throw error;
    }
    logger.warn(
      { ...facts, err: error },
      'the network did not deliver the file of a received message: the message is stored without it, and only its sender can send the file again',
    );
  }
  return null;
}

/** What `open` gives, read as it is asked for; fails when nothing comes for `ms`, at its opening or later. */
export function timelyStream(
  clock: Clock,
  ms: number,
  open: () => Promise<ReadableStream<Uint8Array>>,
): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  let ended = false;
  const stalled = (): Error => new Error(`The source of the file sent nothing for ${ms} ms.`);
  const end = async (reason: unknown): Promise<void> => {
    ended = true;
    await reader?.cancel(reason);
  };
  const next = async (): ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']> => {
    reader ??= (await open()).getReader();
    if (ended) await reader.cancel();
    return reader.read();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await unlessLate(clock, ms, next(), stalled);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          // Not waited for: a source that hangs may hang here too.
          end(error).catch(() => undefined);
          throw error;
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/**
 * The source of a file has failed. A store rejects with this, or with an error that has it among its causes;
 * where they reject with something else, the source is not to blame.
 */
class SourceError extends Error {
  override readonly name = 'SourceError';
}

/** Whether it was the source that ended what rejected with this. */
function isSourceFailure(error: unknown): boolean {
  if (error instanceof SourceError) return true;
  return error instanceof Error && error.cause !== undefined && isSourceFailure(error.cause);
}

/** The same stream, its failures distinguishable from its reader's. An abort ends it with the signal's reason. */
function sourceStream(content: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const reader = content.getReader();
  let abort = (): void => {};
  const ended = (): void => signal.removeEventListener('abort', abort);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        abort = () => {
          controller.error(signal.reason);
          // Not waited for: a source that hangs may hang here too.
          reader.cancel(signal.reason).catch(() => undefined);
        };
        if (signal.aborted) abort();
        else signal.addEventListener('abort', abort, { once: true });
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (signal.aborted) return;
          if (!done) return controller.enqueue(value);
          ended();
          controller.close();
        } catch (cause) {
          ended();
          throw new SourceError(cause instanceof Error ? cause.message : String(cause), { cause });
        }
      },
      async cancel(reason) {
        ended();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Has files of one instance downloaded concurrently, and more of them wait in the order in which they came. */
export interface DownloadTurns {
  /** Runs `work` when fewer than the limit are in flight. */
  take<Value>(work: () => Promise<Value>): Promise<Value>;
}

export function createDownloadTurns(limit: number): DownloadTurns {
  const waiting: (() => void)[] = [];
  let inFlight = 0;
  return {
    async take(work) {
      if (inFlight < limit) inFlight += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        // Passes its turn on to the next in line.
        const next = waiting.shift();
        if (next) next();
        else inFlight -= 1;
      }
    },
  };
}
