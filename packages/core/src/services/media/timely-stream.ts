import type { Clock } from '../../ports/clock.ts';
import { unlessLate } from '../../runtime/deadline.ts';

/** What `open` gives, read as it is asked for; fails when nothing comes for `ms`, at its opening or later. */
export function timelyStream(
  clock: Clock,
  ms: number,
  open: () => Promise<ReadableStream<Uint8Array>>,
): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  let ended = false;
  const stalled = (): Error => new Error(`Nothing came for ${ms} ms.`);
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
