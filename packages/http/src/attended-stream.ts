/**
 * What `source` gives, read as it is asked for. Where nobody asks for more for `ms`, it ends with an error and `source` is
 * cancelled, which may hold a file or a connection open.
 */
export function attendedStream(source: ReadableStream<Uint8Array>, ms: number): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        timer = setTimeout(abandon, ms, controller);
      },
      async pull(controller) {
        clearTimeout(timer);
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value);
        timer = setTimeout(abandon, ms, controller);
      },
      async cancel(reason) {
        clearTimeout(timer);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );

  function abandon(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const reason = new Error(`Nobody has read on for ${ms} ms.`);
    controller.error(reason);
    reader.cancel(reason).catch(() => undefined); // nobody is left who could hear of it
  }
}
