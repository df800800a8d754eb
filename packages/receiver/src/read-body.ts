import { bytesOf } from './bytes.ts';
import { readHeader, type WebhookHeaders } from './headers.ts';

/** Raw bytes, or their chunks as they arrive, such as Node's request or the body of a Fetch request. */
export type WebhookBody = Uint8Array | ArrayBuffer | AsyncIterable<Uint8Array>;

export type BodyFailureReason =
  /** A framework has already parsed the body. The message says how to get the bytes. */
  | 'body_not_bytes'
  | 'body_too_large'
  /** The body was not complete in time. */
  | 'body_timeout'
  /** The sender hung up. */
  | 'body_interrupted';

export type BodyResult =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly reason: BodyFailureReason };

export interface BodyLimits {
  /** In bytes. */
  readonly limit: number;
  /** The time for the whole body to arrive. */
  readonly timeoutMs: number;
}

/** Stops reading at the limits. Does not read a body whose declared length is above the limit. */
export async function readBody(
  headers: WebhookHeaders,
  body: unknown,
  { limit, timeoutMs }: BodyLimits,
): Promise<BodyResult> {
  if (Number(readHeader(headers, 'content-length')) > limit) return failure('body_too_large');
  const bytes = bytesOf(body);
  if (bytes !== undefined) return bytes.length > limit ? failure('body_too_large') : { ok: true, bytes };
  if (!isChunks(body)) return failure('body_not_bytes');

  const { promise: late, resolve } = Promise.withResolvers<BodyResult>();
  const reading = { isOver: false };
  const timer = setTimeout(() => {
    reading.isOver = true;
    resolve(failure('body_timeout'));
  }, timeoutMs);
  const result = await Promise.race([readChunks(body, limit, reading), late]);
  clearTimeout(timer);
  return result;
}

export function isBody(body: unknown): boolean {
  return bytesOf(body) !== undefined || isChunks(body);
}

/** Reads into one buffer, which doubles as needed: chunks may be one byte, and a list would hold an object for each. */
async function readChunks(
  chunks: AsyncIterable<unknown>,
  limit: number,
  reading: { readonly isOver: boolean },
): Promise<BodyResult> {
  let buffer = new Uint8Array();
  let size = 0;
  try {
    for await (const chunk of chunks) {
      const bytes = bytesOf(chunk);
      if (bytes === undefined) return failure('body_not_bytes');
      if (size + bytes.length > limit) return failure('body_too_large');
      if (reading.isOver) return failure('body_timeout');
      if (size + bytes.length > buffer.length) {
        const larger = new Uint8Array(Math.max(size + bytes.length, 2 * size));
        larger.set(buffer);
        buffer = larger;
      }
      buffer.set(bytes, size);
      size += bytes.length;
    }
  } catch {
    return failure('body_interrupted');
  }
  return { ok: true, bytes: buffer.subarray(0, size) };
}

function failure(reason: BodyFailureReason): BodyResult {
  return { ok: false, reason };
}

function isChunks(body: unknown): body is AsyncIterable<unknown> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
