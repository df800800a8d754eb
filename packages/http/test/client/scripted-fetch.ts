import type { ClientOptions } from '../../src/client/index.ts';

interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly json: unknown;
}

export interface ScriptedFetch {
  readonly fetch: NonNullable<ClientOptions['fetch']>;
  /** Oldest first. */
  readonly requests: readonly SeenRequest[];
}

/** A fetch that returns these responses one after the other, and then repeats the last. Errors are thrown. */
export function scriptedFetch(...responses: readonly (Response | Error)[]): ScriptedFetch {
  const requests: SeenRequest[] = [];
  return {
    requests,
    async fetch(url, init) {
      const request = new Request(url, init);
      const text = await request.text();
      requests.push({
        method: request.method,
        url,
        headers: request.headers,
        json: text === '' ? undefined : JSON.parse(text),
      });
      const response = responses[Math.min(requests.length, responses.length) - 1];
      if (response instanceof Response) return response.clone();
      throw response ?? new Error('There is no response.');
    },
  };
}

export function jsonResponse(body: object, init: ResponseInit = {}): Response {
  return Response.json(body, { headers: { 'X-Request-Id': 'req_1' }, ...init });
}

export function refusal(
  status: number,
  code: string,
  more: { details?: object; headers?: Record<string, string> } = {},
): Response {
  const { details, headers } = more;
  const error = { code, message: 'Not now.', request_id: 'req_2', ...(details && { details }) };
  return Response.json({ error }, { status, ...(headers && { headers }) });
}
