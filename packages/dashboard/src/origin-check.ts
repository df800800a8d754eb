import { refused } from './session.ts';

/**
 * Refuses a request that changes data unless it comes from a page of the dashboard, because browsers also attach
 * cookies to requests from other sites. Browsers report the origin in `Sec-Fetch-Site`, or over http only in `Origin`.
 * Programs send neither header: they have the REST API.
 */
export function checkOrigin(request: Request, publicUrl: string | undefined): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const site = request.headers.get('Sec-Fetch-Site');
  if (site === 'same-origin' || (site === null && isOwnOrigin(request, publicUrl))) return;
  throw refused(
    'INSUFFICIENT_SCOPE',
    'Changes are only accepted from a page of the dashboard itself, and this request came from elsewhere: reload the page. If it happens again, the proxy in front of the service changes the host: set its public URL.',
    { reason: 'wrong_origin' },
  );
}

function isOwnOrigin(request: Request, publicUrl: string | undefined): boolean {
  const origin = request.headers.get('Origin');
  const host = origin === null ? undefined : hostOf(origin);
  return host !== undefined && (host === hostOf(request.url) || host === hostOf(publicUrl));
}

function hostOf(url: string | undefined): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  return parsed === null || parsed.host === '' ? undefined : parsed.host;
}
