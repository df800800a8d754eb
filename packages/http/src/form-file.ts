/** A file of a form, while it comes in. */
export interface FormFile {
  /** As the client names it; may be empty. */
  readonly filename: string;
  readonly content: ReadableStream<Uint8Array>;
}

/** The receiving end of a file: what the parser pushes, somebody takes. */
export interface IncomingFile<Stored> {
  /** Null is the end. */
  push(chunk: Uint8Array | null): void;
  /** Resolves when more may be pushed. Rejects with what the taker rejects with. */
  ready(): Promise<void>;
  /** What the taker made of it, once all is pushed. */
  readonly stored: Promise<Stored>;
  /** Breaks the file off. Answers what the taker has made of it all the same; null where it has not. */
  giveUp(): Promise<Stored | null>;
}

export function openFormFile<Stored>(
  take: (content: ReadableStream<Uint8Array>) => Promise<Stored>,
): IncomingFile<Stored> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const stored = take(readable);
  // Told by `ready` or `stored`, whichever is asked first; the writer's own promises repeat it.
  stored.catch(ignore);
  writer.closed.catch(ignore);
  return {
    stored,
    push(chunk) {
      (chunk === null ? writer.close() : writer.write(chunk)).catch(ignore);
    },
    async ready() {
      // A taker that ends early, content or not, must not leave the client waiting.
      await Promise.race([writer.ready.catch(() => stored), stored]);
    },
    async giveUp() {
      // Not waited for: it comes about when the taker reads on, and one that has failed does not.
      writer.abort(new Error('The form broke off.')).catch(ignore);
      return stored.catch(() => null);
    },
  };
}

function ignore(): void {}
