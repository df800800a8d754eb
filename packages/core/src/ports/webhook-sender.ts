import type { DeliveryErrorCode } from '../domain/delivery/delivery.ts';
import type { UrlRules } from '../domain/webhook/host-rules.ts';

/** One signed request, ready to leave. */
export interface WebhookRequest extends UrlRules {
  readonly url: string;
  /** Name, value, name, value: in the order in which they are sent. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** The outcome. `errorCode` is null exactly when a 2xx arrived in time. */
export interface WebhookResponse {
  readonly errorCode: Extract<
    DeliveryErrorCode,
    'TIMEOUT' | 'CONNECTION_FAILED' | 'TLS_FAILED' | 'DNS_FAILED' | 'REDIRECT' | 'HTTP_ERROR' | 'UNSAFE_URL'
  > | null;
  readonly responseStatus: number | null;
  /** The first 16 KiB as storable text; null where there was no response. */
  readonly responseBody: string | null;
}

/** Sends one webhook request as the specification rules: checked address, 10 s in all, 3 s to connect, no redirect. */
export interface WebhookSender {
  /**
   * Never rejects: every way to fail is a response with an error code. What a failure came from goes to `onFailure`,
   * for the operator's log alone: it may name addresses that no customer should see.
   */
  send(request: WebhookRequest, onFailure?: (cause: unknown) => void): Promise<WebhookResponse>;
  /** Ends the requests in flight and all connections. */
  close(): Promise<void>;
  /** Makes one that was closed usable again. */
  open?(): void;
}
