import { usageError } from './command-error.ts';

/** The address as people may give it, with the path of the API or without. */
export function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username + url.password + url.search + url.hash !== '' ||
    /[?#]/.test(url.href) // an empty one is neither in the search nor in the hash
  )
    throw usageError(
      'The URL of the service must be like https://messages.example.com, without credentials and query.',
    );
  return url.href.replace(/(?<!\/)\/+$/, '').replace(/\/api\/v1$/, '');
}
