import { Hono } from 'hono';
import type { Context } from 'hono';
import { requestId } from 'hono/request-id';
import type { Principal, TrunklineOptions } from '@trunkline/core';
import { createDashboard, createSignIn } from '@trunkline/dashboard';
import type { Dashboard, DashboardOptions, SignIn } from '@trunkline/dashboard';
import { clientAddress } from './client-address.ts';
import { respondWithErrors, errorResponse, refused } from '../errors/error-response.ts';
import { addSandboxControls } from '../networks/sandbox-controls.ts';
import type { SandboxControls } from '../networks/sandbox-controls.ts';
import type { Settings } from '../settings/settings.ts';

export const DASHBOARD_PATH = '/dashboard';

export function dashboardSignIn(
  { dashboardToken }: Pick<Settings, 'dashboardToken'>,
  { secretKey }: Pick<TrunklineOptions, 'secretKey'>,
): SignIn {
  return createSignIn({ secretKey, adminToken: dashboardToken });
}

/** Makes a link to the dashboard that signs an admin in, once. */
export function dashboardLink(signIn: SignIn, url: string): string {
  return `${url}${DASHBOARD_PATH}/sign-in#token=${signIn.newLinkToken()}`;
}

/** Like dashboardLink, but needs only the secret keys, by which the server recognises its links. */
export function newDashboardLink(secretKeys: readonly string[], url: string): string {
  return dashboardLink(createSignIn({ secretKey: secretKeys }), url);
}

interface DashboardParts extends Omit<SandboxControls, 'guard' | 'trunkline'> {
  readonly trunkline: Parameters<typeof createDashboard>[0];
  readonly signIn: SignIn;
  readonly hasSimulatedPhones: boolean;
  readonly publicUrl: string | undefined;
  readonly rateLimit: DashboardOptions['rateLimit'];
}

export function addDashboard(app: Hono, parts: DashboardParts): void {
  const { trunkline, signIn, hasSimulatedPhones, publicUrl, rateLimit } = parts;
  const addresses = new WeakMap<Request, string | undefined>();
  const dashboard: Dashboard = createDashboard(trunkline, {
    basePath: DASHBOARD_PATH,
    signIn,
    rateLimit,
    publicUrl: publicUrl === undefined ? undefined : publicUrl + DASHBOARD_PATH,
    clientAddress: (request) => addresses.get(request),
    sandbox: hasSimulatedPhones ? sandboxOf(parts) : undefined,
  });
  const serve = (c: Context): Promise<Response> => {
    addresses.set(c.req.raw, clientAddress(c));
    return dashboard.fetch(c.req.raw);
  };
  app.all(DASHBOARD_PATH, serve);
  app.all(`${DASHBOARD_PATH}/*`, serve);
}

/** The sandbox's phone controls, for people who are signed in to the dashboard. */
function sandboxOf(parts: DashboardParts): NonNullable<DashboardOptions['sandbox']> {
  const { trunkline, logger } = parts;
  const principals = new WeakMap<Request, Principal>();
  const principalOf = async (request: Request): Promise<Principal> => {
    const principal = principals.get(request);
    if (!principal)
      throw refused('UNAUTHENTICATED', 'You are not signed in: sign in to the dashboard first.');
    return principal;
  };
  const app = new Hono();
  app.use(requestId({ limitLength: 128, generator: () => trunkline.newRequestId() }));
  addSandboxControls(app, {
    ...parts,
    guard: {
      admit: principalOf,
      async readmit(request) {
        await principalOf(request);
      },
    },
  });
  app.notFound((c) => errorResponse(c, refused('NOT_FOUND', 'There is nothing at this path.')));
  app.onError(respondWithErrors(logger));
  return (request, principal) => {
    principals.set(request, principal);
    return app.fetch(request);
  };
}
