/**
 * The source of a file has failed. A store rejects with this, or with an error that has it among its causes;
 * where they reject with something else, the source is not to blame.
 */
class SourceError extends Error {
  override readonly name = 'SourceError';
}

/** Whether it was the source that ended what rejected with this. */
export function isSourceFailure(error: unknown): boolean {
  if (error instanceof SourceError) return true;
  return error instanceof Error && error.cause !== undefined && isSourceFailure(error.cause);
}

/** The same stream, whose failures can be told from those of its reader. An abort ends it with the signal's reason. */
export function sourceStream(
  content: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
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
