const CALLERS_OWN = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own `X-Request-Id` if it is valid; otherwise a new id. */
export function requestIdOf(request: Request, newRequestId: () => string): string {
  const given = request.headers.get('X-Request-Id');
  return given !== null && CALLERS_OWN.test(given) ? given : newRequestId();
}
