export const EVENT_HEADER = 'X-Service-Event';
export const DELIVERY_HEADER = 'X-Service-Delivery';
export const TIMESTAMP_HEADER = 'X-Service-Timestamp';
export const SIGNATURE_HEADER = 'X-Service-Signature';

/** The headers of Standard Webhooks, which the service sends next to its own unless they are switched off. */
export const STANDARD_ID_HEADER = 'webhook-id';
export const STANDARD_TIMESTAMP_HEADER = 'webhook-timestamp';
export const STANDARD_SIGNATURE_HEADER = 'webhook-signature';

/** A Fetch `Headers` or anything else with its `get`, or an object of names and values in any case, such as Node's. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The header's text as received. Repeated headers are joined with `, `, as Fetch and Node do: no header that is read
 * here allows a comma, so it is refused by its form.
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
