import { invalid, refuse } from '@trunkline/core/spi/http';
import type { Result } from '@trunkline/core/spi/http';
import { bodyReadBefore, isUnusableBody } from './body-read-before.ts';
import { createByteBuffer } from './byte-buffer.ts';
import { checkContentEncoding } from './content-encoding.ts';
import { dropRest } from './rest-of-body.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads a JSON object of at most `maxBytes`. A missing or empty body counts as `{}`. A larger body is refused before it
 * is read if its length is declared, or else at the chunk that exceeds the limit.
 */
export async function readJsonBody(request: Request, maxBytes: number): Promise<Result<JsonObject>> {
  const encoding = checkContentEncoding(request);
  if (!encoding.ok) return encoding;
  const bytes = await readBytes(request, maxBytes);
  if (!bytes.ok) return bytes;
  if (bytes.value.byteLength === 0) return { ok: true, value: {} };
  if (!isJson(request.headers.get('Content-Type'))) {
    return unreadable('Must be JSON, with the content type application/json.');
  }
  return parseObject(bytes.value);
}

/** In bytes: about the longest text message, at four bytes for each character. */
const READ_WHOLE_MAX = 16_384;

async function readBytes(request: Request, maxBytes: number): Promise<Result<Uint8Array>> {
  if (request.bodyUsed) throw bodyReadBefore();
  const length = declaredLength(request);
  if (length !== null && length > maxBytes) return tooLarge(maxBytes);
  try {
    const read =
      length !== null && length <= READ_WHOLE_MAX
        ? await readWhole(request, maxBytes)
        : await readUpTo(request.body, maxBytes);
    if (length === null || length === 0 || !read.ok || read.value.byteLength > 0) return read;
  } catch (error) {
    if (!isUnusableBody(error)) return unreadable('Ended before it was complete: send the request again.');
  }
  // HTTP servers enforce the declared length, so a missing body was read by other code.
  throw bodyReadBefore();
}

function declaredLength(request: Request): number | null {
  const header = request.headers.get('Content-Length');
  return header !== null && /^[0-9]{1,15}$/.test(header) ? Number(header) : null;
}

/**
 * Reads a body with a small declared length, which HTTP servers enforce. Without a stream in between, a request costs
 * @hono/node-server a third less. The server keeps an object for each chunk, which is why larger bodies are streamed.
 */
async function readWhole(request: Request, maxBytes: number): Promise<Result<Uint8Array>> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  return bytes.byteLength > maxBytes ? tooLarge(maxBytes) : { ok: true, value: bytes };
}

async function readUpTo(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Result<Uint8Array>> {
  if (stream === null) return { ok: true, value: new Uint8Array() };
  const reader = stream.getReader();
  const bytes = createByteBuffer();
  for (;;) {
    const { done, value: chunk } = await reader.read();
    if (done) return { ok: true, value: bytes.bytes() };
    if (bytes.length + chunk.byteLength > maxBytes) {
      void dropRest(reader);
      return tooLarge(maxBytes);
    }
    bytes.append(chunk);
  }
}

/**
 * Accepts `application/json` in any case and with any parameters, because JSON is UTF-8 whatever its parameters say
 * (RFC 8259 section 8.1).
 */
function isJson(contentType: string | null): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function parseObject(bytes: Uint8Array): Result<JsonObject> {
  let value: unknown;
  try {
    value = JSON.parse(UTF8.decode(bytes));
  } catch {
    return unreadable('Must be valid JSON in UTF-8.');
  }
  return isObject(value) ? { ok: true, value } : unreadable('Must be a JSON object.');
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(complaint: string): Result<never> {
  return invalid({ body: [complaint] });
}

function tooLarge(maxBytes: number): Result<never> {
  return refuse('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes.`);
}
