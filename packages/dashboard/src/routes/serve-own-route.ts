import type { Context } from 'hono';
import { unwrap } from '@trunkline/core/spi/http';
import { readJsonBody, requestIdOf } from '@trunkline/http/spi';
import { checkOrigin } from '../origin-check.ts';
import { refused, signedOut } from '../session.ts';
import type { DashboardTrunkline, Session, SessionOf } from '../session.ts';
import type { OwnRoute } from './own-route.ts';

interface Service {
  readonly trunkline: DashboardTrunkline;
  readonly sessionOf: SessionOf;
  readonly publicUrl: string | undefined;
}

/** Larger than any input of these routes. */
const LARGEST_BODY = 16_384;

/** The handler of a route: checks origin, session and access before it reads the body. */
export function serveOwnRoute(
  { trunkline, sessionOf, publicUrl }: Service,
  { method, access, handle }: OwnRoute,
): (c: Context) => Promise<Response> {
  return async (c) => {
    const request = c.req.raw;
    checkOrigin(request, publicUrl);
    const session = access === 'anybody' ? null : await sessionOf(request);
    checkAccessTo(access, session);
    const response = await handle({
      request,
      session,
      parameter: (name) => c.req.param(name) ?? '',
      body: method === 'GET' ? {} : unwrap(await readJsonBody(request, LARGEST_BODY)),
    });
    response.headers.set(
      'X-Request-Id',
      requestIdOf(request, () => trunkline.newRequestId()),
    );
    return response;
  };
}

function checkAccessTo(access: OwnRoute['access'], session: Session | null): void {
  if (access === 'anybody') return;
  if (!session) throw signedOut();
  const seesAll = session.workspaceId === null;
  const mayWrite = session.access === 'admin';
  if (access === 'session' || (access === 'see-all' && seesAll) || (access === 'admin' && mayWrite)) return;
  throw refused(
    'INSUFFICIENT_SCOPE',
    'This is for admins of the service: sign in with the admin token or a link.',
    { reason: 'not_admin' },
  );
}
