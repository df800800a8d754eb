import { bytesOf } from './bytes.ts';
import { readHeader, type WebhookHeaders } from './headers.ts';

/** Raw bytes, or their chunks as they come: Node's request and the body of a Fetch request are such. */
export type WebhookBody = Uint8Array | ArrayBuffer | AsyncIterable<Uint8Array>;

export type BodyFailureReason =
  /** A framework has parsed the body already: the message says how to get at the bytes. */
  | 'body_not_bytes'
  | 'body_too_large'
  /** The sender hung up. */
  | 'body_interrupted';

export type BodyResult =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly reason: BodyFailureReason };

/** Reads no further than the limit, and nothing of a body that says beforehand that it is over it. */
export async function readBody(headers: WebhookHeaders, body: unknown, limit: number): Promise<BodyResult> {
  if (Number(readHeader(headers, 'content-length')) > limit) return { ok: false, reason: 'body_too_large' };

  const bytes = bytesOf(body);
  if (bytes === undefined) {
    return isChunks(body) ? readChunks(body, limit) : { ok: false, reason: 'body_not_bytes' };
  }
  return bytes.length > limit ? { ok: false, reason: 'body_too_large' } : { ok: true, bytes };
}

async function readChunks(chunks: AsyncIterable<unknown>, limit: number): Promise<BodyResult> {
  const read: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of chunks) {
      const bytes = bytesOf(chunk);
      if (bytes === undefined) return { ok: false, reason: 'body_not_bytes' };
      size += bytes.length;
      if (size > limit) return { ok: false, reason: 'body_too_large' };
      read.push(bytes);
    }
  } catch {
    return { ok: false, reason: 'body_interrupted' };
  }
  return { ok: true, bytes: joined(read, size) };
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function isChunks(body: unknown): body is AsyncIterable<unknown> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
