import type { WebhookEventType } from '../event-types.ts';
import type { WebhookEvent, WebhookEventOf } from '../event.ts';
import {
  DELIVERY_HEADER,
  EVENT_HEADER,
  SIGNATURE_HEADER,
  STANDARD_ID_HEADER,
  STANDARD_SIGNATURE_HEADER,
  STANDARD_TIMESTAMP_HEADER,
  TIMESTAMP_HEADER,
} from '../headers.ts';
import { signStandardWebhook, signWebhook, type SignStandardWebhookOptions } from '../sign-webhook.ts';
import { hasStandardKey } from '../standard-signature.ts';

/** The options of `signRequest`. */
export interface SignRequestOptions {
  /** The secret of the receiver under test. */
  readonly secret: string;
  /** The event: its `type` and `data`, and other fields in place of the generated ones. */
  readonly event?: EventDraft;
  /** The body itself, instead of `event`: bytes, or text that is sent as UTF-8. */
  readonly body?: string | Uint8Array;
  /** Unix time in seconds. Now by default. Set another time for a request that is too old or from the future. */
  readonly timestamp?: number | string;
}

/**
 * An event of which only `type` and `data` are required, because `signRequest` generates the other fields. An event of
 * a type that is not in `WebhookEventType` needs a cast.
 */
export type EventDraft = {
  [Type in WebhookEventType]: Pick<WebhookEventOf<Type>, 'type' | 'data'> &
    Partial<Omit<WebhookEventOf<Type>, 'type' | 'data'>>;
}[WebhookEventType];

/** The request, as the second argument of `fetch(url, …)` and `new Request(url, …)`. */
export interface SignedWebhook {
  /** Always POST. */
  readonly method: 'POST';
  /** The headers, signatures included. */
  readonly headers: Record<string, string>;
  /** The bytes that were signed. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * Makes a request like those of the service, with both the service's signature and that of Standard Webhooks. Without
 * `event` and `body`, the event is a `webhook.test`. If the secret, unlike those of the service, is not base64 after
 * its prefix, the request has only the service's own signature.
 *
 * @example
 * const response = await POST(new Request('http://test/', await signRequest({ secret })));
 */
export async function signRequest(options: SignRequestOptions): Promise<SignedWebhook> {
  const { secret, timestamp = Math.floor(Date.now() / 1000) } = options;
  const event = createEvent(options.event);
  const { body: content = JSON.stringify(event) } = options;
  const body = Uint8Array.from(typeof content === 'string' ? new TextEncoder().encode(content) : content);
  return {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhooks/1.0',
      [EVENT_HEADER]: event.type,
      [DELIVERY_HEADER]: `whd_${randomName()}`,
      [TIMESTAMP_HEADER]: String(timestamp),
      [SIGNATURE_HEADER]: await signWebhook({ secret, timestamp, body }),
      ...(hasStandardKey(secret) ? await standardHeaders({ secret, id: event.id, timestamp, body }) : {}),
    },
    body,
  };
}

async function standardHeaders(request: SignStandardWebhookOptions): Promise<Record<string, string>> {
  return {
    [STANDARD_ID_HEADER]: request.id,
    [STANDARD_TIMESTAMP_HEADER]: String(request.timestamp),
    [STANDARD_SIGNATURE_HEADER]: await signStandardWebhook(request),
  };
}

/** Completes the draft with a new id, the current time and a workspace. */
export function createEvent(draft: EventDraft = TEST_EVENT): WebhookEvent {
  return {
    id: `evt_${randomName()}`,
    created_at: new Date().toISOString().replace('Z', '000Z'), // microseconds
    workspace_id: 'ten_test',
    ...draft,
  };
}

const TEST_EVENT: EventDraft = {
  type: 'webhook.test',
  data: { webhook: { id: 'wh_test', url: 'https://receiver.test/', description: null } },
};

function randomName(): string {
  return crypto.randomUUID().replaceAll('-', '');
}
