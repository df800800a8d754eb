/** The response of a route, without the headers that every response has. */
export interface RouteResponse {
  /** By default, the route's own success status. */
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array> | null;
}

/** A single object, or a list without other fields: `{ "data": … }` (specification, "Resources and their fields"). */
export function data(resource: object): RouteResponse {
  return json({ data: resource });
}

export function json(value: object): RouteResponse {
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}

export const NOTHING: RouteResponse = { headers: {}, body: null };

interface ResponseFrame {
  readonly status: number;
  readonly requestId: string;
  /** Whether no cache may store the response, for example because it contains a secret or a QR. */
  readonly noStore?: boolean;
  /** Headers about the request itself, such as its rate limit. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Adds the headers of every response: X-Request-Id, and Cache-Control. Unless `noStore` forbids caching, caches must
 * revalidate the response before each use.
 */
export function toResponse(
  response: RouteResponse,
  { status, requestId, noStore = false, headers }: ResponseFrame,
): Response {
  return new Response(response.body, {
    status: response.status ?? status,
    headers: {
      'X-Request-Id': requestId,
      'Cache-Control': noStore ? 'no-store' : 'private, no-cache',
      ...headers,
      ...response.headers,
    },
  });
}
