import type { Dashboard } from '../../src/index.ts';

interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: Json;
  readonly code: string | undefined;
}

/** Parsed JSON whose fields can be read freely. A missing field is undefined, which fails the assertion on it. */
interface Json {
  readonly [key: string]: Json;
}

interface Visit {
  readonly json?: unknown;
  /** Empty headers are left out. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestInit['body'];
}

/** A user's browser: keeps the cookie, and says where requests come from, as browsers do. */
export interface Visitor {
  (method: string, path: string, visit?: Visit): Promise<Seen>;
  cookie(): string;
  signIn(credential: { readonly api_key: string } | { readonly token: string }): Promise<Seen>;
}

interface VisitorOptions {
  readonly cookie?: string;
  readonly origin?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function visitor(
  dashboard: Dashboard,
  { cookie = '', origin = 'http://localhost', headers: own }: VisitorOptions = {},
): Visitor {
  let jar = cookie;
  const visit = async (method: string, path: string, { json, headers, body }: Visit = {}): Promise<Seen> => {
    const response = await dashboard.fetch(
      new Request(new URL(path, origin), {
        method,
        headers: withoutEmpty({
          'Sec-Fetch-Site': 'same-origin',
          Cookie: jar,
          'Content-Type': json === undefined ? '' : 'application/json',
          ...own,
          ...headers,
        }),
        ...(json !== undefined && { body: JSON.stringify(json) }),
        ...(body !== undefined && { body, duplex: 'half' }),
      }),
    );
    const set = response.headers.get('Set-Cookie');
    if (set !== null) jar = /Max-Age=0/.test(set) ? '' : (set.split(';', 1)[0] ?? '');
    const text = await textOf(response);
    const parsed = parse(text);
    const code: unknown = parsed?.['error']?.['code'];
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: parsed,
      code: typeof code === 'string' ? code : undefined,
    };
  };
  return Object.assign(visit, {
    cookie: () => jar,
    signIn: (credential: object) => visit('POST', '/dashboard/api/sign-in', { json: credential }),
  });
}

function withoutEmpty(headers: Readonly<Record<string, string>>): Headers {
  return new Headers(Object.entries(headers).filter(([, value]) => value !== ''));
}

/** The text; for a stream of events, which has no end, the first chunk. */
async function textOf(response: Response): Promise<string> {
  const isStream = response.headers.get('Content-Type') === 'text/event-stream';
  if (!isStream || !response.body) return response.text();
  const reader = response.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json; // read freely, see `Json`
  } catch {
    return undefined as never; // see `Json`
  }
}

export function textIn(field: unknown): string {
  if (typeof field !== 'string') throw new TypeError(`Not text: ${JSON.stringify(field)}`);
  return field;
}
