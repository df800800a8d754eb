/** Reads the first bytes of a stream (fewer where it is shorter) without taking them away from who reads it next. */
export async function peek(
  stream: ReadableStream<Uint8Array>,
  length: number,
): Promise<{ readonly first: Uint8Array; readonly whole: ReadableStream<Uint8Array> }> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  while (size < length && !ended) {
    const { done, value } = await reader.read();
    ended = done;
    if (value) {
      chunks.push(value);
      size += value.byteLength;
    }
  }
  const whole = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const kept = chunks.shift();
      if (kept) return controller.enqueue(kept);
      const next = ended ? null : await reader.read();
      if (next?.value) controller.enqueue(next.value);
      else controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { first: joinedUpTo(chunks, length), whole };
}

function joinedUpTo(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(
    Math.min(
      length,
      chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0),
    ),
  );
  let offset = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, joined.length - offset);
    joined.set(part, offset);
    offset += part.byteLength;
  }
  return joined;
}
