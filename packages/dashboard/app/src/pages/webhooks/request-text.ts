import type { DeliveryDetailResource } from '@trunkline/http/client';

type Request = DeliveryDetailResource['request'];

/** The body as sent: JSON without white space. Null if it is no longer stored. */
export function bodyOf({ payload }: Request): string | null {
  return isEmptyObject(payload) ? null : JSON.stringify(payload);
}

/** The request as a shell command, with the signature's headers if given. */
export function curlOf(request: Request, signature: Readonly<Record<string, string>> = {}): string {
  const { url, headers } = request;
  const all = Object.entries({ ...headers, ...signature });
  return [
    `curl -X POST ${quoted(url)}`,
    ...all.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(bodyOf(request) ?? '')}`,
  ].join(' \\\n  ');
}

/** Quotes a text for a POSIX shell, where only `'` is special within single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The id of the message in an event; null if the event has no message. */
export function messageIdIn(payload: unknown): string | null {
  const message = field(field(payload, 'data'), 'message');
  const id = field(message, 'id');
  return typeof id === 'string' ? id : null;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
