import type { DeliveryErrorCode } from '../domain/delivery/delivery.ts';
import type { UrlRules } from '../domain/endpoint/host-rules.ts';

/** One signed request, ready to be sent. */
export interface WebhookRequest extends UrlRules {
  readonly url: string;
  /** Alternating names and values, in the order in which they are sent. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** The outcome. `errorCode` is null only if a 2xx response arrived in time. */
export interface WebhookResponse {
  readonly errorCode: Extract<
    DeliveryErrorCode,
    'TIMEOUT' | 'CONNECTION_FAILED' | 'TLS_FAILED' | 'DNS_FAILED' | 'REDIRECT' | 'HTTP_ERROR' | 'UNSAFE_URL'
  > | null;
  readonly responseStatus: number | null;
  /** The first 16 KiB as storable text; null if there was no response. */
  readonly responseBody: string | null;
}

/**
 * Sends webhook requests by the rules of the specification: to a checked address, within 10 s, of which at most 3 s to
 * connect, and without following redirects.
 */
export interface WebhookSender {
  /**
   * Never rejects: a failure is a response with an error code. `onFailure` gets the cause, for the operator's log only,
   * since it may name addresses that no customer should see. A request that does not settle within 30 to 35 s is given
   * up, and counts as a timeout.
   */
  send(request: WebhookRequest, onFailure?: (cause: unknown) => void): Promise<WebhookResponse>;
  /** Ends the requests in flight and all connections. */
  close(): Promise<void>;
  /** Makes a sender that was closed usable again. */
  open?(): void;
}
