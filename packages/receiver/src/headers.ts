/** The header with the type of the event. */
export const EVENT_HEADER = 'X-Service-Event';
/** The header with the id of the delivery, which differs for each endpoint. */
export const DELIVERY_HEADER = 'X-Service-Delivery';
/** The header with the time of the signature; Unix time in seconds. */
export const TIMESTAMP_HEADER = 'X-Service-Timestamp';
/** The header with the signature of the timestamp and the body. */
export const SIGNATURE_HEADER = 'X-Service-Signature';

/**
 * The header of Standard Webhooks with the event's id. The service sends the headers of Standard Webhooks, too, unless
 * they are switched off.
 */
export const STANDARD_ID_HEADER = 'webhook-id';
/** The header of Standard Webhooks with the time of the signature; Unix time in seconds. */
export const STANDARD_TIMESTAMP_HEADER = 'webhook-timestamp';
/** The header of Standard Webhooks with the signatures. */
export const STANDARD_SIGNATURE_HEADER = 'webhook-signature';

/** A Fetch `Headers`, any object with the same `get`, or an object of names (in any case) and values, such as Node's. */
export type WebhookHeaders =
  | {
      /** The value of the header, whatever the case of its name; null or undefined if it is absent. */
      get(name: string): string | null | undefined;
    }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the header's text as received. Repeated headers are joined with `, `, as Fetch and Node do: no signed header
 * may contain that, so they are refused as malformed.
 */
export function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (hasGet(headers)) return headers.get(name) ?? undefined;

  const lowerCased = name.toLowerCase();
  let text: string | undefined;
  for (const key of Object.keys(headers)) {
    if (key !== lowerCased && (key.length !== name.length || key.toLowerCase() !== lowerCased)) continue;
    const value = headers[key];
    const received = Array.isArray(value) ? value.join(', ') : value;
    if (typeof received === 'string') text = text === undefined ? received : `${text}, ${received}`;
  }
  return text;
}

function hasGet(headers: WebhookHeaders): headers is { get(name: string): string | null | undefined } {
  return typeof headers['get'] === 'function';
}
