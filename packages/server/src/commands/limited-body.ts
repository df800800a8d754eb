export interface BodyLimits {
  readonly maxBytes: number;
  /** The minimum number of bytes per `everyMs` milliseconds; null if the body may take any time. */
  readonly least: { readonly bytes: number; readonly everyMs: number } | null;
  /** Returns the error for a body that breaks a limit. */
  failure(why: 'too long' | 'too slow'): Error;
}

export function limitedBody(
  body: ReadableStream<Uint8Array>,
  { maxBytes, least, failure }: BodyLimits,
): ReadableStream<Uint8Array> {
  let size = 0;
  let sizeBefore = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start(controller) {
        if (least === null) return;
        timer = setInterval(() => {
          if (size - sizeBefore < least.bytes) {
            clearInterval(timer);
            controller.error(failure('too slow'));
          }
          sizeBefore = size;
        }, least.everyMs);
        timer.unref();
      },
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > maxBytes) throw failure('too long');
        controller.enqueue(chunk);
      },
      flush: () => clearInterval(timer),
      cancel: () => clearInterval(timer),
    }),
  );
}
