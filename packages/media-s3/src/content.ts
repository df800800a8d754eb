import { S3Error } from './s3-error.ts';

/**
 * The content of a response, read from the connection only on demand. Cancelling the stream ends the connection. The
 * stream fails if a read gets nothing for `stallMs`, or if the connection ends early.
 */
export function contentOf(
  response: Response,
  stallMs: number,
  abort: AbortController,
): ReadableStream<Uint8Array> {
  const reader = (response.body ?? new Blob([]).stream()).getReader();
  const length = response.headers.get('Content-Length');
  let missing = length === null ? null : Number(length);

  const next = async (): ReturnType<typeof reader.read> => {
    const { promise: stalled, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new S3Error(`S3 sent nothing for ${stallMs} ms. Check the network.`)),
      stallMs,
    );
    try {
      return await Promise.race([reader.read(), stalled]);
    } finally {
      clearTimeout(timer);
    }
  };

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await next();
          if (missing !== null) missing -= value?.byteLength ?? 0;
          if (missing !== null && (done ? missing !== 0 : missing < 0)) {
            throw new S3Error('S3 sent a file of another length than it said. Check the proxies in between.');
          }
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          abort.abort();
          throw error instanceof S3Error
            ? error
            : new S3Error('S3 broke off in the middle of a file. Check the network.', { cause: error });
        }
      },
      cancel() {
        abort.abort();
      },
    },
    { highWaterMark: 0 },
  );
}
