import { usageError } from '../errors/command-error.ts';

/** Returns the service's address from a URL with or without the API's path. */
export function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username + url.password + url.search + url.hash !== '' ||
    /[?#]/.test(url.href) // `search` and `hash` hide an empty query or fragment
  )
    throw usageError(
      'The URL of the service must be like https://messages.example.com, without credentials and query.',
    );
  return url.href.replace(/(?<!\/)\/+$/, '').replace(/\/api\/v1$/, '');
}
