import type { Api } from './service.ts';

type RouteHandler = (request: Request) => Response | Promise<Response>;
type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * For `app/api/v1/[...path]/route.ts` of Next.js, and of frameworks that have adopted its route handlers:
 * ```ts
 * export const { GET, HEAD, POST, PUT, PATCH, DELETE } = nextRoute(api);
 * ```
 * The dashboard is mounted by the same lines in `app/messaging/[[...path]]/route.ts`.
 */
export function nextRoute(api: Api): Readonly<Record<Method, RouteHandler>> {
  const handle: RouteHandler = (request) => api.fetch(request);
  return { GET: handle, HEAD: handle, POST: handle, PUT: handle, PATCH: handle, DELETE: handle };
}
