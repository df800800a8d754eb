/** What a route answers, before the headers that every answer has. */
export interface Answer {
  /** The route's own success status unless given. */
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array> | null;
}

/** A single object, or a list without further facts: `{ "data": … }` (specification, "Resources and their fields"). */
export function data(resource: object): Answer {
  return json({ data: resource });
}

export function json(value: object): Answer {
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}

/** For 204: neither body nor content type. */
export const NOTHING: Answer = { headers: {}, body: null };

interface AnswerFrame {
  readonly status: number;
  readonly requestId: string;
  /** For secrets and QRs, which no cache may write down. */
  readonly noStore?: boolean;
  /** What is said of the request rather than of what it asked for: its rate limit. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Adds what every answer has: the request id, and that no cache may use it without asking again. */
export function toResponse(
  answer: Answer,
  { status, requestId, noStore = false, headers }: AnswerFrame,
): Response {
  return new Response(answer.body, {
    status: answer.status ?? status,
    headers: {
      'X-Request-Id': requestId,
      'Cache-Control': noStore ? 'no-store' : 'private, no-cache',
      ...headers,
      ...answer.headers,
    },
  });
}
