import { refuse } from '@trunkline/core/spi/http';
import type { Result } from '@trunkline/core/spi/http';

/** Refuses a compressed body (RFC 9110 section 15.5.16), whose real size is known only after decompression. */
export function checkContentEncoding(request: Request): Result<true> {
  const encoding = request.headers.get('Content-Encoding') ?? '';
  return encoding === '' || encoding.toLowerCase() === 'identity'
    ? { ok: true, value: true }
    : refuse('INVALID_MEDIA_TYPE', 'The body must not be compressed: send it without Content-Encoding.');
}
