/** Inclusive, within the file. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The one range that a request asks for (RFC 9110 section 14.2); null for the whole file. A header that is malformed,
 * asks for several ranges or lies outside of the file is ignored, as a server may; so is one for another version of the
 * file (`If-Range`).
 */
export function readRange(
  headers: Headers,
  { size, etag }: { readonly size: number; readonly etag: string | null },
): ByteRange | null {
  const match = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/.exec(headers.get('Range') ?? '');
  const ifRange = headers.get('If-Range');
  if (!match || (ifRange !== null && ifRange !== etag)) return null;
  const [, from = '', to = ''] = match;
  if (from === '')
    return to === '' || Number(to) === 0 || size === 0
      ? null
      : { start: Math.max(0, size - Number(to)), end: size - 1 };
  const start = Number(from);
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return start <= end ? { start, end } : null;
}
