type Read = ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>;

/**
 * Returns the same content, read on demand, with each read passed through `wrap`. If `wrap` rejects, the
 * stream fails, and its source is cancelled. Content that is not open yet is opened by the first read.
 */
export function wrapReads(
  content: ReadableStream<Uint8Array> | (() => Promise<ReadableStream<Uint8Array>>),
  wrap: (read: Read) => Read,
): ReadableStream<Uint8Array> {
  let reader = typeof content === 'function' ? null : content.getReader();
  let hasEnded = false;
  const end = async (reason: unknown): Promise<void> => {
    hasEnded = true;
    await reader?.cancel(reason);
  };
  const next = async (): Read => {
    reader ??= (await (typeof content === 'function' ? content() : content)).getReader();
    if (hasEnded) await reader.cancel();
    return reader.read();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await wrap(next());
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          // Do not wait, because a source that hangs may hang here too.
          end(error).catch(() => undefined);
          throw error;
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
