import { Hono } from 'hono';
import type { Context } from 'hono';
import { consoleLogger } from '@trunkline/core/spi/http';
import { toResponse } from './route-response.ts';
import { methodNotAllowed, notFound } from './error-response.ts';
import { createGuard } from './guard.ts';
import { checkHttpOptions } from './http-options.ts';
import type { HttpAppOptions } from './http-options.ts';
import { referencePages } from './openapi/reference-pages.ts';
import { requestIdOf } from './request-id.ts';
import { ROUTES } from './routes/all-routes.ts';
import { byRouterPath } from './routes/router-paths.ts';
import { serveRoute } from './serve-route.ts';
import type { ServedTrunkline } from './serve-route.ts';

const DOCS_UNREADABLE =
  'the script of the page /docs cannot be read, and the page is a plain one: check the function docs.scalar, or leave it out';

/**
 * The REST API (`/api/v1`) as a Hono app. Its `fetch` takes a `Request` and returns a `Response`, so it runs on any
 * runtime with Fetch. Outside the base path, it responds with 404. `/openapi.json` (OpenAPI 3.1) and `/docs` describe
 * the API, need no key, and load nothing from other hosts.
 *
 * ```ts
 * export default createHttpApp(trunkline);
 * ```
 *
 * Throws if an option is wrong, or if the process does not have the role `api`.
 */
export function createHttpApp(trunkline: ServedTrunkline, options: HttpAppOptions = {}): Hono {
  if (typeof trunkline?.authenticate !== 'function') {
    throw new TypeError('createHttpApp: the first argument must be what createTrunkline() returns.');
  }
  if (!trunkline.roles.api) {
    throw new Error(
      'createHttpApp: this Trunkline does not serve requests. Create it with roles: { api: true }.',
    );
  }
  const checked = checkHttpOptions(options);
  const { basePath } = checked;
  const requestId = (c: Context): string => requestIdOf(c.req.raw, () => trunkline.newRequestId());
  const guard = checked.guard ?? createGuard(trunkline, options);
  const app = new Hono();
  for (const [method, routes] of Map.groupBy(ROUTES, (route) => route.method)) {
    const handlers = new Map(
      routes.map((route) => [route.path, serveRoute({ trunkline, options: checked, guard }, route)]),
    );
    for (const [path, handlerOf] of byRouterPath(handlers)) {
      app.on(method, basePath + path, (c) => handlerOf(c)(c));
    }
  }
  const { logger = consoleLogger } = trunkline;
  const onUnreadable = (err: unknown): void => logger.error({ err }, DOCS_UNREADABLE);
  for (const [path, page] of referencePages({ ...checked, onUnreadable })) {
    app.get(basePath + path, async (c) =>
      toResponse(await page(c), { status: 200, requestId: requestId(c) }),
    );
    app.all(basePath + path, (c) => methodNotAllowed(requestId(c), 'GET, HEAD'));
  }
  for (const [path, allowedAt] of byRouterPath(allowedMethods())) {
    app.all(basePath + path, (c) => methodNotAllowed(requestId(c), allowedAt(c)));
  }
  // Respond here, because an app that mounts this one would otherwise send its own "not found".
  app.all(`${basePath}/*`, (c) => notFound(requestId(c)));
  app.notFound((c) => notFound(requestId(c)));
  return app;
}

/** The methods of each path, as the `Allow` header lists them. */
function allowedMethods(): Map<string, string> {
  const methods = new Map<string, string>();
  for (const { method, path } of ROUTES) {
    const own = method === 'GET' ? 'GET, HEAD' : method;
    const others = methods.get(path);
    methods.set(path, others === undefined ? own : `${others}, ${own}`);
  }
  return methods;
}
