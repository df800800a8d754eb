import type { Clock } from '../../ports/clock.ts';

/** What `open` gives, read as it is asked for; fails when nothing comes for `ms`, at its opening or later. */
export function timelyStream(
  clock: Clock,
  ms: number,
  open: () => Promise<ReadableStream<Uint8Array>>,
): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  let ended = false;
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
        const { promise: stalled, reject } = Promise.withResolvers<never>();
        const cancel = clock.setTimer(ms, () => reject(new Error(`Nothing came for ${ms} ms.`)));
        try {
          const { done, value } = await Promise.race([next(), stalled]);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          // Not waited for: a source that hangs may hang here too.
          end(error).catch(() => undefined);
          throw error;
        } finally {
          cancel();
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
