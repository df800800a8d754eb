/**
 * Reads any view or ArrayBuffer; undefined for other values. `instanceof` would miss those of other realms, as in test
 * runners and worker threads.
 */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (Object.prototype.toString.call(value) !== '[object ArrayBuffer]') return undefined;
  return new Uint8Array(value as ArrayBuffer); // checked in the line above
}
