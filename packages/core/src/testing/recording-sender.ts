import type { WebhookRequest, WebhookResponse, WebhookSender } from '../ports/webhook-sender.ts';

/**
 * A webhook sender that sends nothing, keeps every request, and responds as `respond` says. While closed, it
 * fails every request.
 */
export interface RecordingSender extends WebhookSender {
  /** Requests, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Sets the responses from now on; by default, every request gets 200. */
  respond(how: (request: RecordedRequest) => WebhookResponse | Promise<WebhookResponse>): void;
}

/** A request that `recordingSender` recorded. */
export interface RecordedRequest extends Omit<WebhookRequest, 'headers'> {
  /** The values of the headers by their names, spelled as they are sent. */
  readonly headers: ReadonlyMap<string, string>;
}

/** The response of a receiver that accepts the webhook with a 200. */
export const TAKEN: WebhookResponse = { errorCode: null, responseStatus: 200, responseBody: 'ok' };
/** The response of a receiver that fails with a 500. */
export const REFUSED: WebhookResponse = { errorCode: 'HTTP_ERROR', responseStatus: 500, responseBody: 'no' };

const CLOSED: WebhookResponse = { errorCode: 'CONNECTION_FAILED', responseStatus: null, responseBody: null };

/** A webhook sender for tests, which records each request and responds as `respond` says. */
export function recordingSender(): RecordingSender {
  const requests: RecordedRequest[] = [];
  let respond: (request: RecordedRequest) => WebhookResponse | Promise<WebhookResponse> = () => TAKEN;
  let isClosed = false;
  return {
    requests,
    respond(how) {
      respond = how;
    },
    async send(request) {
      if (isClosed) return CLOSED;
      const recorded = { ...request, headers: headerMap(request.headers) };
      requests.push(recorded);
      return respond(recorded);
    },
    open() {
      isClosed = false;
    },
    async close() {
      isClosed = true;
    },
  };
}

function headerMap(list: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (let i = 0; i + 1 < list.length; i += 2) map.set(list[i] ?? '', list[i + 1] ?? '');
  return map;
}
