/** A stream of these chunks, which fails when it reaches an `Error` among them. */
export function streamOf(...chunks: readonly (string | Uint8Array | Error)[]): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next === undefined) controller.close();
      else if (next instanceof Error) controller.error(next);
      else controller.enqueue(typeof next === 'string' ? new TextEncoder().encode(next) : next);
    },
  });
}

/** Bytes that look random, but are the same for the same seed. */
export function bytesFrom(seed: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = (seed + 1) * 0x9e3779b1;
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

/** A file of this size, generated while it is read, in chunks of 65,521 bytes. */
export function chunksOf(
  size: number,
  seed: number,
  seen: (chunk: Uint8Array) => void = () => {},
): ReadableStream<Uint8Array> {
  const block = bytesFrom(seed, 65_521);
  let left = size;
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close();
      const chunk = block.slice(0, Math.min(left, block.length));
      left -= chunk.length;
      seen(chunk);
      controller.enqueue(chunk);
    },
  });
}
