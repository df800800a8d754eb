/**
 * A buffer for bytes that arrive in chunks. It grows by doubling. If a client sends single bytes, a list of the chunks
 * would take a hundred times the memory, and joining the list at each chunk would take quadratic time.
 */
export interface ByteBuffer {
  readonly length: number;
  /** Adds a chunk, without copying it if the buffer is empty. */
  append(chunk: Uint8Array): void;
  /** Drops `count` bytes from the beginning. */
  drop(count: number): void;
  /** A view of the current bytes, which later calls of `append` do not change. */
  bytes(): Uint8Array;
}

export function createByteBuffer(): ByteBuffer {
  let buffer: Uint8Array = new Uint8Array();
  let start = 0;
  let end = 0;
  let isOwn = false;

  const grow = (needed: number): void => {
    const kept = buffer.subarray(start, end);
    buffer = new Uint8Array(Math.max(needed, kept.length * 2));
    buffer.set(kept);
    [start, end, isOwn] = [0, kept.length, true];
  };

  return {
    get length() {
      return end - start;
    },
    append(chunk) {
      if (start === end) {
        [buffer, start, end, isOwn] = [chunk, 0, chunk.length, false];
        return;
      }
      if (!isOwn || buffer.length - end < chunk.length) grow(end - start + chunk.length);
      buffer.set(chunk, end);
      end += chunk.length;
    },
    drop(count) {
      start += count;
    },
    bytes: () => buffer.subarray(start, end),
  };
}
