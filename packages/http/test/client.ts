/** A response, for tests. `json` is undefined if the body is not JSON. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
  readonly code: string | undefined;
}

/** Parsed JSON for tests to read freely: a missing field is undefined, so that an assertion on it fails. */
export interface Json {
  readonly [key: string]: Json;
}

export interface CallOptions {
  readonly json?: unknown;
  readonly body?: RequestInit['body'];
  readonly headers?: Readonly<Record<string, string>>;
}

export type Call = (method: string, target: string, options?: CallOptions) => Promise<Seen>;

interface FetchApp {
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

/** Returns a client that calls an app with a key. `target` is below `/api/v1`, or a whole URL. */
export function client(app: FetchApp, token: string | null = 'good'): Call {
  return async (method, target, { json: value, body, headers } = {}) => {
    const response = await app.fetch(
      new Request(urlOf(target), {
        method,
        headers: {
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
          ...(value === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(value === undefined ? {} : { body: JSON.stringify(value) }),
        ...(body === undefined ? {} : { body, duplex: 'half' }),
      }),
    );
    const text = await textOfBody(response);
    const json = parse(text);
    const code = json?.error === undefined ? undefined : textOf(json.error.code);
    return { status: response.status, headers: response.headers, text, json, code };
  };
}

/** The text of a body, or the first chunk of a stream of events, which has no end. */
async function textOfBody(response: Response): Promise<string> {
  const isStream = response.headers.get('Content-Type') === 'text/event-stream';
  if (!isStream || !response.body) return response.text();
  const reader = response.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

export function urlOf(target: string): URL {
  return new URL(target.startsWith('http') ? target : `http://localhost/api/v1${target}`);
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json; // see `Json`
  } catch {
    return undefined as never; // see `Json`
  }
}

/** Returns a field that is text. Anything else fails the test. */
export function textOf(field: unknown): string {
  if (typeof field !== 'string') throw new TypeError(`Not text: ${JSON.stringify(field)}`);
  return field;
}
