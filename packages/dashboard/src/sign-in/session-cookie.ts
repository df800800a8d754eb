import { parse, serialize } from 'hono/utils/cookie';

export interface SessionCookie {
  /** Undefined if the request has no such cookie. */
  read(request: Request): string | undefined;
  set(request: Request, value: string, maxAgeSeconds: number): string;
  remove(request: Request): string;
}

/** A cookie that scripts, other sites and, over https, the network cannot read. */
export function sessionCookie({
  basePath,
  publicUrl,
}: {
  readonly basePath: string;
  readonly publicUrl: string | undefined;
}): SessionCookie {
  const known = publicUrl === undefined ? null : new URL(publicUrl);
  const path = (known ? known.pathname : basePath) || '/';
  const isSecure = (request: Request): boolean => (known?.href ?? request.url).startsWith('https:');
  // Browsers accept the prefix `__Secure-` only if the cookie is set over https.
  const nameFor = (request: Request): string => `${isSecure(request) ? '__Secure-' : ''}trunkline_dashboard`;
  const write = (request: Request, value: string, maxAge: number): string =>
    serialize(nameFor(request), value, {
      path,
      maxAge,
      httpOnly: true,
      sameSite: 'Strict',
      secure: isSecure(request),
    });
  return {
    read(request) {
      const name = nameFor(request);
      return parse(request.headers.get('Cookie') ?? '', name)[name];
    },
    set: write,
    remove: (request) => write(request, '', 0),
  };
}
