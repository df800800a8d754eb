import type { Clock } from '../../ports/clock.ts';
import { unlessLate } from '../../runtime/deadline.ts';
import { wrapReads } from '../../runtime/wrap-reads.ts';
import type { ServiceContext } from '../context.ts';
import { typeOfReceived } from './file-type.ts';
import type { FileDescription } from './file-type.ts';
import { storeUpload } from './uploads.ts';
import type { StoredUpload } from './uploads.ts';

/** The longest silence of the network before the message is stored without its file. */
const STALLED_MS = 60_000;
/** The longest silence if the file can be requested again later. */
const STALLED_FOR_NOW_MS = 30_000;
/** The time that the largest file takes at 1 Mbit/s. A host that only sends a byte now and then is cut off. */
const LONGEST_DOWNLOAD_MS = 15 * 60_000;

/** The file of a message that has arrived. */
interface FileArrival {
  readonly contentId: string;
  readonly open: () => Promise<ReadableStream<Uint8Array>>;
  readonly described: FileDescription;
  readonly isRetriable: boolean;
}

export type FileOutcome =
  | { readonly kind: 'stored'; readonly upload: StoredUpload }
  /** The network does not deliver the file now. */
  | { readonly kind: 'unavailable'; readonly error: unknown }
  /** The network delivers a file that must not be kept. */
  | { readonly kind: 'refused'; readonly code: string }
  /** The network delivers the file, but storing it here failed. */
  | { readonly kind: 'not_kept'; readonly error: unknown };

/**
 * Stores the file of an inbound message while the network delivers it. Rejects if the signal is aborted
 * before the file is stored. Discards the bytes of a file that is not stored completely.
 */
export async function receiveFile(
  context: ServiceContext,
  { contentId, open, described, isRetriable }: FileArrival,
  signal: AbortSignal,
): Promise<FileOutcome> {
  const stalledMs = isRetriable ? STALLED_FOR_NOW_MS : STALLED_MS;
  const timely = timelyStream(context.clock, { stalledMs, longestMs: LONGEST_DOWNLOAD_MS }, open);
  const content = sourceStream(timely, signal);
  try {
    const stored = await storeUpload(context, { content, type: null, contentId });
    if (!stored.ok) return { kind: 'refused', code: stored.refusal.code };
    const { detected, ...file } = stored.value;
    return { kind: 'stored', upload: { ...file, ...(await typeOfReceived(detected, described)) } };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: isSourceFailure(error) ? 'unavailable' : 'not_kept', error };
  }
}

interface Patience {
  /** The longest pause, while opening or between two chunks. */
  readonly stalledMs: number;
  readonly longestMs: number;
}

/**
 * Wraps the stream of `open` and reads it on demand. The wrapper fails if nothing comes for `stalledMs`,
 * while opening or later, or if the whole stream takes longer than `longestMs`.
 */
export function timelyStream(
  clock: Clock,
  { stalledMs, longestMs }: Patience,
  open: () => Promise<ReadableStream<Uint8Array>>,
): ReadableStream<Uint8Array> {
  const endsAt = clock.elapsed() + longestMs;
  const late = (): Error =>
    new Error(
      clock.elapsed() < endsAt
        ? `The source of the file sent nothing for ${stalledMs} ms.`
        : `The source of the file did not send all of it in ${longestMs} ms.`,
    );
  return wrapReads(open, (read) => {
    const ms = Math.max(0, Math.min(stalledMs, endsAt - clock.elapsed()));
    return unlessLate(clock, ms, read, late);
  });
}

/**
 * The failure of a file's source. A store rejects with this error or with an error caused by it; any other
 * error is not the source's fault.
 */
class SourceError extends Error {
  override readonly name = 'SourceError';
}

function isSourceFailure(error: unknown): boolean {
  if (error instanceof SourceError) return true;
  return error instanceof Error && error.cause !== undefined && isSourceFailure(error.cause);
}

/**
 * Wraps a stream so that its failures can be told apart from those of its reader. An abort ends the stream
 * with the signal's reason.
 */
function sourceStream(content: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const reader = content.getReader();
  let abort = (): void => {};
  const ended = (): void => signal.removeEventListener('abort', abort);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        abort = () => {
          controller.error(signal.reason);
          // Do not wait, because a source that hangs may hang here too.
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
