/** A request to the API, without the base URL and the key. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly json?: object | undefined;
  readonly form?: FormData | undefined;
  /** Whether the response is a file. */
  readonly wantsFile?: boolean | undefined;
  /** Whether the response is a stream of events. */
  readonly wantsEvents?: boolean | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Replaces `{…}` in the path with the id, encoded as one segment. */
export function pathOf(path: string, id: string): string {
  return path.replace(/\{\w+\}/, () => segment(id));
}

/**
 * Encodes the id. An empty id, `.` or `..` would change the path, so `_` is prefixed, and the API finds nothing. A lone
 * surrogate, which cannot be encoded, is replaced.
 */
function segment(id: string): string {
  return /^\.{0,2}$/.test(id) ? `_${id}` : encodeURIComponent(id.toWellFormed());
}

export function urlOf(baseUrl: string, { path: target, query = {} }: ApiRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return baseUrl + target + (parameters.size > 0 ? `?${parameters.toString()}` : '');
}

export function initOf(
  apiKey: string,
  { method, json, form, wantsFile, wantsEvents, headers, signal }: ApiRequest,
): RequestInit {
  return {
    method,
    // The API never redirects, and the request's contents must not go to another address.
    redirect: 'manual',
    headers: {
      Authorization: `Bearer ${apiKey}`,
      Accept: wantsEvents ? 'text/event-stream' : wantsFile ? '*/*' : 'application/json',
      ...(json && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(json && { body: JSON.stringify(json) }),
    ...(form && { body: form }),
    ...(signal && { signal }),
  };
}
