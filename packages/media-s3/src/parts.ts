/**
 * Cuts a stream into parts of this size; the last part may be shorter, or empty. All parts share one buffer, so use
 * each part before you request the next.
 */
export async function* partsOf(
  content: ReadableStream<Uint8Array>,
  size: number,
): AsyncGenerator<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly isLast: boolean }, void, undefined> {
  const buffer = new Uint8Array(size);
  let filled = 0;
  for await (const chunk of content) {
    let rest = chunk;
    while (rest.byteLength > 0) {
      // Yield a full part only when more bytes follow, because otherwise it is the last part.
      if (filled === size) {
        yield { bytes: buffer, isLast: false };
        filled = 0;
      }
      const taken = rest.subarray(0, size - filled);
      buffer.set(taken, filled);
      filled += taken.byteLength;
      rest = rest.subarray(taken.byteLength);
    }
  }
  yield { bytes: buffer.subarray(0, filled), isLast: true };
}
