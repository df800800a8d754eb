import { Hono } from 'hono';
import type { Context } from 'hono';
import { createHttpApp } from '@trunkline/http';
import type { RequestGuard } from '@trunkline/http';
import {
  createRateLimit,
  errorResponse,
  logFailure,
  methodNotAllowed,
  notFound,
  publicErrorOf,
  requestIdOf,
} from '@trunkline/http/spi';
import type { Assets } from './assets.ts';
import { checkDashboardOptions } from './dashboard-options.ts';
import type { CheckedDashboardOptions, DashboardOptions } from './dashboard-options.ts';
import { pageAssets } from './page-assets.ts';
import { pageResponse } from './pages.ts';
import { ownRoutes } from './routes/own-routes.ts';
import type { OwnRoute } from './routes/own-route.ts';
import { serveOwnRoute } from './routes/serve-own-route.ts';
import { securityHeaders, withSecurityHeaders } from './security-headers.ts';
import { sessionByAuthorize } from './session-by-authorize.ts';
import type { DashboardTrunkline, SessionOf } from './session.ts';
import { openSignIn } from './sign-in/sign-in.ts';
import type { OpenSignIn } from './sign-in/sign-in.ts';
import { workspaceGuard } from './workspace-guard.ts';

export interface Dashboard {
  /** Serves requests below the base path. All other requests get 404. */
  fetch(request: Request): Promise<Response>;
}

/**
 * Creates the dashboard, whose `fetch` is mounted like that of the REST API. It serves the pages, and their API below
 * `{basePath}/api`. Throws if an option is wrong, or if the process does not have the role `api`.
 *
 * ```ts
 * const dashboard = createDashboard(trunkline, {
 *   authorize: async (request) => ((await userOf(request))?.isOperator ? { access: 'admin' } : null),
 * });
 * ```
 */
export function createDashboard(trunkline: DashboardTrunkline, options: DashboardOptions): Dashboard {
  return dashboardWith(pageAssets, trunkline, checkDashboardOptions(options));
}

function dashboardWith(
  assets: Assets,
  trunkline: DashboardTrunkline,
  options: CheckedDashboardOptions,
): Dashboard {
  const { basePath, publicUrl, clientAddress, rateLimit } = options;
  const headers = securityHeaders(options.frameAncestors);
  const signIn =
    options.signIn && openSignIn(options.signIn, { trunkline, basePath, publicUrl, clientAddress });
  const apiPath = `${basePath}/api`;
  const sessionOf = sessionOfRequest(options, signIn, trunkline);
  const guard = workspaceGuard({
    trunkline,
    sessionOf,
    rateLimit: rateLimit === false ? null : createRateLimit(rateLimit),
    apiPath,
    publicUrl,
  });
  const app = new Hono();
  const requestId = (c: Context): string => requestIdOf(c.req.raw, () => trunkline.newRequestId());

  const service = { trunkline, sessionOf, publicUrl };
  const routes = ownRoutes({ trunkline, signIn, guard, hasSandbox: options.sandbox !== undefined });
  for (const route of routes) app.on(route.method, apiPath + route.path, serveOwnRoute(service, route));
  for (const [path, allow] of methodsOf(routes))
    app.all(apiPath + path, (c) => methodNotAllowed(requestId(c), allow));
  if (options.sandbox) addSandbox(app, { path: apiPath, guard, requestId, sandbox: options.sandbox });

  const ofWorkspace = `${apiPath}/workspaces/:workspace`;
  // The API reference is not served here, because its policy allows scripts from another site.
  for (const page of ['docs', 'openapi.json'])
    app.all(`${ofWorkspace}/${page}`, (c) => notFound(requestId(c)));
  app.route(ofWorkspace, createHttpApp(trunkline, { basePath: '', guard, ...linksFrom(options) }));
  app.all(apiPath, (c) => notFound(requestId(c)));
  app.all(`${apiPath}/*`, (c) => notFound(requestId(c)));

  const page = async (c: Context): Promise<Response> => {
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return methodNotAllowed(requestId(c), 'GET, HEAD');
    const below = c.req.path.slice(basePath.length);
    return (await pageResponse(c.req.raw, { basePath, below, assets })) ?? notFound(requestId(c));
  };
  app.all(basePath === '' ? '/' : basePath, page);
  app.all(`${basePath}/*`, page);
  app.notFound((c) => notFound(requestId(c)));
  app.onError((error, c) => {
    const id = requestId(c);
    const shown = publicErrorOf(error);
    const request = { requestId: id, method: c.req.method, path: c.req.path };
    if (shown.code === 'INTERNAL_ERROR') logFailure(trunkline.logger, error, { request, message: FAILED });
    return errorResponse(shown, { requestId: id });
  });

  return {
    async fetch(request) {
      return withSecurityHeaders(await app.fetch(request), headers);
    },
  };
}

const FAILED =
  'a request of the dashboard failed through no fault of its caller: fix the cause in err, or report it as a defect; the response has the same requestId';

function sessionOfRequest(
  { authorize }: Pick<CheckedDashboardOptions, 'authorize'>,
  signIn: OpenSignIn | undefined,
  { logger }: Pick<DashboardTrunkline, 'logger'>,
): SessionOf {
  if (signIn) return signIn.sessionOf;
  return sessionByAuthorize(authorize ?? (() => null), logger);
}

/** The methods of each path, as an `Allow` header lists them. */
function methodsOf(routes: readonly OwnRoute[]): Map<string, string> {
  const byPath = Map.groupBy(routes, ({ path }) => path);
  return new Map(
    [...byPath].map(([path, own]) => [
      path,
      own.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', '),
    ]),
  );
}

/**
 * The part of the public address before the base path, for links in REST responses. Empty if the address is unknown or
 * does not end with the base path.
 */
function linksFrom({ publicUrl, basePath }: Pick<CheckedDashboardOptions, 'publicUrl' | 'basePath'>): {
  readonly publicUrl?: string;
} {
  if (publicUrl === undefined || !publicUrl.endsWith(basePath)) return {};
  return { publicUrl: publicUrl.slice(0, publicUrl.length - basePath.length) };
}

interface SandboxPlace {
  readonly path: string;
  readonly guard: RequestGuard;
  readonly requestId: (c: Context) => string;
  readonly sandbox: NonNullable<DashboardOptions['sandbox']>;
}

/** Passes on requests below `workspaces/{workspace}/sandbox` as `/sandbox/…`, if the sender is admitted. */
function addSandbox(app: Hono, { path, guard, requestId, sandbox }: SandboxPlace): void {
  const pattern = `${path}/workspaces/:workspace/sandbox/*` as const;
  app.all(pattern, async (c) => {
    if (c.req.method !== 'POST') return methodNotAllowed(requestId(c), 'POST');
    const principal = await guard.admit(c.req.raw, { scope: 'instances:write' });
    const url = new URL(c.req.url);
    const below = url.pathname.slice(`${path}/workspaces/`.length);
    url.pathname = below.slice(below.indexOf('/'));
    return sandbox(new Request(url, c.req.raw), principal);
  });
}
