import { checkAccess } from './access.ts';
import type { DashboardOptions } from './dashboard-options.ts';
import { refused, sessionOfAccess } from './session.ts';
import type { DashboardTrunkline, SessionOf } from './session.ts';

/** How long `authorize` may take: users give up on a page that takes longer. */
const AUTHORIZE_MAX_MS = 10_000;

const UNKNOWN =
  'the access of an open dashboard could not be checked again, so it was ended: fix the cause in err, in authorize of createDashboard';

/**
 * Finds the session of a request by the app's own `authorize`, whose error fails the request. When the access of an
 * open stream is checked again, an error ends the stream, which might otherwise outlive the user's access.
 */
export function sessionByAuthorize(
  authorize: NonNullable<DashboardOptions['authorize']>,
  logger: DashboardTrunkline['logger'],
): SessionOf {
  return async (request, { fresh = false } = {}) => {
    try {
      const access = checkAccess(await withinLimit(async () => authorize(request)));
      return access && sessionOfAccess(access);
    } catch (err) {
      if (!fresh) throw err;
      logger.error({ err, path: new URL(request.url).pathname }, UNKNOWN);
      throw refused(
        'UNAUTHENTICATED',
        'The sender of this request could not be identified again: repeat the request.',
      );
    }
  };
}

/** After the limit, `authorize` continues, but its result is ignored. */
function withinLimit<Value>(ask: () => Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(
        new Error(
          `authorize of createDashboard did not settle within ${AUTHORIZE_MAX_MS / 1000} s: give what it asks a shorter limit.`,
        ),
      );
    }, AUTHORIZE_MAX_MS);
    ask()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
