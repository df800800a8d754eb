export type SecurityHeaders = ReadonlyMap<string, string>;

/** `frameAncestors` are the origins whose pages may show the dashboard in a frame. */
export function securityHeaders(frameAncestors: readonly string[]): SecurityHeaders {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "base-uri 'self'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ];
  return new Map([
    ['Content-Security-Policy', policy.join('; ')],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ...(frameAncestors.length === 0 ? ([['X-Frame-Options', 'DENY']] as const) : []),
  ]);
}

/** Replaces the response's own headers, except its policy: browsers enforce both policies. */
export function withSecurityHeaders(response: Response, headers: SecurityHeaders): Response {
  const secured = new Headers(response.headers);
  for (const [name, value] of headers) {
    if (name === 'Content-Security-Policy') secured.append(name, value);
    else secured.set(name, value);
  }
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers: secured });
}
