const CALLERS_OWN = /^[A-Za-z0-9._-]{1,128}$/;

/** The id that the caller gave the request with `X-Request-Id`, if it may be one; else a new one. */
export function requestIdOf(request: Request, newRequestId: () => string): string {
  const given = request.headers.get('X-Request-Id');
  return given !== null && CALLERS_OWN.test(given) ? given : newRequestId();
}
