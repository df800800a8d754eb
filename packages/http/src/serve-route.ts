import type { Context } from 'hono';
import { checkScope, consoleLogger, unwrap } from '@trunkline/core/spi/http';
import type { Trunkline } from '@trunkline/core';
import { toResponse } from './route-response.ts';
import type { RouteResponse } from './route-response.ts';
import { errorResponse, publicErrorOf } from './error-response.ts';
import { isForm } from './form-body.ts';
import { logFailure } from './log-failure.ts';
import type { RequestGuard } from './request-guard.ts';
import type { CheckedHttpOptions } from './http-options.ts';
import { readJsonBody } from './request-body.ts';
import { requestIdOf } from './request-id.ts';
import { requestSpans } from './request-span.ts';
import { readQuery } from './request-query.ts';
import type { Route } from './routes/route.ts';

/** The part of a Trunkline that requests need. */
export type ServedTrunkline = Pick<Trunkline, 'roles' | 'authenticate' | 'as' | 'newRequestId'> &
  Partial<Pick<Trunkline, 'logger'>>;

/** How long a body may take to arrive before its key has to be checked again. */
const READMIT_AFTER_MS = 1_000;

interface Service {
  readonly trunkline: ServedTrunkline;
  readonly options: CheckedHttpOptions;
  readonly guard: RequestGuard;
}

interface Progress {
  readonly storeFailed: (error: unknown) => void;
  headers: Readonly<Record<string, string>>;
}

const STORE_FAILED =
  'the store of the rate limit failed: this process counts requests for itself until the store responds; check the store';

/** The handler of a route: the checks, the operation, and the response. */
export function serveRoute(service: Service, route: Route): (c: Context) => Promise<Response> {
  const { trunkline, options } = service;
  const { status, noStore = false } = route.success;
  const { logger = consoleLogger } = trunkline;
  const path = options.basePath + route.path;
  const openSpan = requestSpans(options.tracerProvider, { method: route.method, path });
  return async (c) => {
    const span = openSpan(c.req.header('traceparent'));
    const response = await span.run(() => respond(c, span.traceparent));
    span.end(response.status);
    return response;
  };

  async function respond(c: Context, traceparent: string | undefined): Promise<Response> {
    const requestId = requestIdOf(c.req.raw, () => trunkline.newRequestId());
    const report = (error: unknown, message?: string): void => {
      const request = { requestId, method: c.req.method, path: c.req.path };
      if (options.onError) options.onError(error, request);
      else logFailure(logger, error, { request, ...(message !== undefined && { message }) });
    };
    const progress: Progress = { storeFailed: (error) => report(error, STORE_FAILED), headers: {} };
    try {
      const response = await run(service, route, { c, progress, traceparent });
      return toResponse(response, { status, requestId, noStore, headers: progress.headers });
    } catch (error) {
      const shown = publicErrorOf(error);
      if (shown.code === 'INTERNAL_ERROR') report(error);
      return errorResponse(shown, { requestId, headers: progress.headers });
    }
  }
}

const NO_BODY = { ok: true, value: {} } as const;

/** Runs the checks in the order of the specification. The router has already found the route. */
async function run(
  { trunkline, options, guard }: Service,
  route: Route,
  {
    c,
    progress,
    traceparent,
  }: { readonly c: Context; readonly progress: Progress; readonly traceparent: string | undefined },
): Promise<RouteResponse> {
  const principal = await guard.admit(c.req.raw, {
    scope: route.scope,
    onRateLimit: (headers) => (progress.headers = headers),
    onStoreFailure: progress.storeFailed,
  });
  if (route.alsoScope) unwrap(checkScope(principal.apiKey, route.alsoScope));
  const query = unwrap(readQuery(c.req.raw, route.queryNames));
  const hasJson = route.body !== undefined && !(route.body.form && isForm(c.req.raw));
  const readmit = async (): Promise<void> => {
    await guard.readmit(c.req.raw, route.scope);
    if (route.alsoScope) await guard.readmit(c.req.raw, route.alsoScope);
  };
  const readAt = performance.now();
  const read = hasJson ? await readJsonBody(c.req.raw, options.maxJsonBytes) : NO_BODY;
  const body = route.body?.beyond && !read.ok ? {} : unwrap(read);
  if (performance.now() - readAt > READMIT_AFTER_MS) await readmit();
  return route.handle({
    c,
    principal,
    api: trunkline.as(principal),
    id: route.parameter === undefined ? '' : (c.req.param(route.parameter) ?? ''),
    query,
    body,
    publicUrl: () => publicUrl(c, options),
    traceparent,
    readmit,
  });
}

function publicUrl(c: Context, { basePath, publicUrl: base }: CheckedHttpOptions): URL {
  const url = new URL(c.req.url);
  if (base === undefined) return url;
  const belowBase = url.pathname.slice(url.pathname.indexOf(basePath) + basePath.length);
  return new URL(base + belowBase + url.search);
}
