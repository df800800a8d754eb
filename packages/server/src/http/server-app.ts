import { Hono } from 'hono';
import { requestId } from 'hono/request-id';
import type { Logger, Storage, Trunkline } from '@trunkline/core';
import type { TracerProvider } from '@opentelemetry/api';
import { createGuard, createHttpApp, createLinkPage } from '@trunkline/http';
import type { HttpAppOptions, RateLimitOptions } from '@trunkline/http';
import type { SignIn } from '@trunkline/dashboard';
import { addDashboard } from './dashboard.ts';
import { respondWithErrors, errorResponse, refused } from '../errors/error-response.ts';
import type { addMcp } from './mcp.ts';
import { addFrontPage } from './front-page.ts';
import { addHealth } from './health.ts';
import { addSandboxControls } from '../networks/sandbox-controls.ts';
import type { SandboxControls } from '../networks/sandbox-controls.ts';
import { addMetrics } from './metrics-route.ts';
import type { ServerMetrics } from '../telemetry/server-metrics.ts';

/** The path of the pages on which people enter credentials. */
export const LINK_PATH = '/link';

interface ServerParts extends Omit<SandboxControls, 'guard'> {
  readonly trunkline: Trunkline;
  readonly hasSimulatedPhones: boolean;
  readonly storage: Storage;
  /** The address that clients use; undefined means the address of each request. */
  readonly publicUrl: string | undefined;
  readonly docs: HttpAppOptions['docs'];
  /** Signs people in to the dashboard; null if it is not served. */
  readonly dashboard: SignIn | null;
  /** Adds the MCP server; null if it is not served. */
  readonly mcp: ((app: Hono, parts: Pick<Parameters<typeof addMcp>[1], 'guard'>) => void) | null;
  /** The limit of each API key; false for no limit. */
  readonly rateLimit: RateLimitOptions | false;
  readonly logger: Logger;
  /** Null if nothing is measured. */
  readonly metrics: ServerMetrics | null;
  /** If omitted, metrics are not served here. */
  readonly metricsToken: string | undefined;
  /** Absent if nothing is traced. */
  readonly tracerProvider?: TracerProvider | undefined;
  readonly isDraining: () => boolean;
}

/** The whole app of the server: the API and everything that is served next to it. */
export function createServerApp(parts: ServerParts): Hono {
  const { trunkline, publicUrl, rateLimit, logger, metrics, metricsToken } = parts;
  const app = new Hono();
  // Must come before every route.
  if (metrics) app.use(metrics.measure);
  if (metrics && metricsToken !== undefined) addMetrics(app, { metrics, metricsToken });
  addHealth(app, parts);
  addFrontPage(app, {
    api: trunkline.roles.api,
    reference: parts.docs !== false,
    dashboard: trunkline.roles.api && parts.dashboard !== null,
  });
  const guard = createGuard(trunkline, { rateLimit });

  if (trunkline.roles.api) {
    const api = createHttpApp(trunkline, {
      guard,
      docs: parts.docs,
      tracerProvider: parts.tracerProvider,
      ...(publicUrl !== undefined && { publicUrl: `${publicUrl}/api/v1` }),
    });
    app.route('/', api);
    parts.mcp?.(app, { guard });
    const linkPage = createLinkPage(trunkline);
    app.all(`${LINK_PATH}/*`, (c) => linkPage.fetch(c.req.raw));
    if (parts.dashboard) addDashboard(app, { ...parts, signIn: parts.dashboard });
  }
  app.use(requestId({ limitLength: 128, generator: () => trunkline.newRequestId() }));
  if (parts.hasSimulatedPhones) addSandboxControls(app, { ...parts, guard });
  app.notFound((c) => errorResponse(c, refused('NOT_FOUND', 'There is nothing at this path.')));
  app.onError(respondWithErrors(logger));
  return app;
}

/** The app that responds until the server is ready. */
export function createStartingApp(): Hono {
  const app = new Hono();
  app.get('/healthz', (c) => c.json({ status: 'up' }));
  app.get('/readyz', (c) => c.json({ status: 'starting' }, 503));
  app.notFound((c) => {
    const message = 'The server is starting: repeat the request in a second.';
    return errorResponse(c, refused('GATEWAY_UNAVAILABLE', message, { retry_after: 1 }));
  });
  return app;
}
