/**
 * Reads any view or ArrayBuffer, without `instanceof`, because test runners and worker threads have several realms,
 * each with its own Uint8Array. Undefined for any other value.
 */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (Object.prototype.toString.call(value) !== '[object ArrayBuffer]') return undefined;
  return new Uint8Array(value as ArrayBuffer); // checked in the line above
}
