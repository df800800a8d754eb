const SLICE_BYTES = 65_536;

/** Streams bytes that many responses share, without a copy for each, and no faster than the client reads. */
export function sharedBytes(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let start = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (start >= bytes.byteLength) return controller.close();
        controller.enqueue(bytes.subarray(start, start + SLICE_BYTES));
        start += SLICE_BYTES;
      },
    },
    { highWaterMark: 0 },
  );
}
