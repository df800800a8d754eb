import type { ErrorCode, ErrorDetails } from '@trunkline/core';
import { clientFailure } from './call-result.ts';
import type { Failure, Success } from './call-result.ts';
import { readText } from './response-text.ts';

/** A successful response. `body` is its JSON; null if it has none. */
export interface ApiResponse extends Success {
  readonly body: JsonObject | null;
  /** The unread content of a file or a stream of events, if the request asked for one. */
  readonly content?: ReadableStream<Uint8Array>;
  readonly headers: Headers;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** In bytes: larger than any page of messages, but too small to fill the memory. */
const RESPONSE_MAX = 41_943_040;

/** Reads a JSON response. Rejects if its body breaks off. */
export async function readResponse(response: Response): Promise<ApiResponse | Failure> {
  const { status, headers } = response;
  const requestId = headers.get('X-Request-Id');
  if (isRedirect(response)) return redirected(response, requestId);
  const text = await readText(response, RESPONSE_MAX);
  if (text === null) return clientFailure('UNEXPECTED_RESPONSE', TOO_LONG, { status, requestId });
  const body = parse(text);
  if (!response.ok) return errorIn(body, { status, requestId }) ?? unexpected(status, requestId);
  if (status !== 204 && !(body && 'data' in body)) return unexpected(status, requestId);
  return { ok: true, requestId, body, headers };
}

/** Returns a file as an unread stream. Reads any other response as JSON and returns a failure. */
export async function takeFile(response: Response): Promise<ApiResponse | Failure> {
  const { headers } = response;
  if (!response.ok || !headers.has('Content-Disposition')) {
    const reply = await readResponse(response);
    return reply.ok ? unexpected(response.status, reply.requestId) : reply;
  }
  const content = response.body ?? new Blob([]).stream();
  return { ok: true, requestId: headers.get('X-Request-Id'), body: null, content, headers };
}

/** Returns an unread stream of events. Reads any other response as JSON and returns a failure. */
export async function takeEvents(response: Response): Promise<ApiResponse | Failure> {
  const { headers, body } = response;
  if (!response.ok || !body || !headers.get('Content-Type')?.startsWith('text/event-stream')) {
    const reply = await readResponse(response);
    return reply.ok ? unexpected(response.status, reply.requestId) : reply;
  }
  return { ok: true, requestId: headers.get('X-Request-Id'), body: null, content: body, headers };
}

/** The error in a body (specification, "Errors"); undefined if the body has none. */
function errorIn(
  body: JsonObject | null,
  { status, requestId }: { readonly status: number; readonly requestId: string | null },
): Failure | undefined {
  const error = body?.['error'];
  if (!isObject(error)) return undefined;
  const { code, message } = error;
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return {
    ok: false,
    error: {
      code: code as ErrorCode, // may be a newer code: see ApiError
      status,
      message,
      requestId: typeof error['request_id'] === 'string' ? error['request_id'] : requestId,
      details: isObject(error['details']) ? (error['details'] as ErrorDetails) : {}, // the API defines the fields
    },
  };
}

function unexpected(status: number, requestId: string | null): Failure {
  const message = `The response (HTTP ${status}) is not from the API: check baseUrl, and the proxies in between.`;
  return clientFailure('UNEXPECTED_RESPONSE', message, { status, requestId });
}

const TOO_LONG = 'The response is longer than 40 MiB, which none of the API is: check baseUrl.';

/** Browsers hide the status and headers of a redirect. */
function isRedirect({ type, status, headers }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('Location'));
}

async function redirected(response: Response, requestId: string | null): Promise<Failure> {
  const { status, headers, body } = response;
  await body?.cancel();
  const target = headers.get('Location')?.slice(0, 200) ?? 'another address';
  const message = `The response (HTTP ${status}) is a redirect to ${target}, which is not followed: check baseUrl, and the proxies in between.`;
  return clientFailure('UNEXPECTED_RESPONSE', message, { status, requestId });
}

function parse(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
