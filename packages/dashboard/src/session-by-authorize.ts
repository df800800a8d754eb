import { checkAccess } from './access.ts';
import type { DashboardOptions } from './dashboard-options.ts';
import { refused, sessionOfAccess } from './session.ts';
import type { DashboardTrunkline, SessionOf } from './session.ts';

/** How long `authorize` may take, because users give up on a page that loads for longer. */
const AUTHORIZE_MAX_MS = 10_000;

const UNKNOWN =
  'the access of an open dashboard could not be checked again, so it was ended: fix the cause in err, in authorize of createDashboard';

/**
 * Finds the session of a request by the app's own `authorize`. A request fails with the error that `authorize` throws.
 * When the access of an open stream is checked again, an error ends the stream, which would otherwise outlive its
 * user's access while `authorize` fails.
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

/** At the limit, `authorize` is not stopped; its later result is ignored. */
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
