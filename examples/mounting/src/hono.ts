import { Hono } from 'hono';
import type { Mountable } from './service.ts';

/** Your Hono app, with the API and the dashboard. `yours.route('/', createHttpApp(…))` also mounts the API. */
export function honoApp({ api, dashboard }: Mountable): Hono {
  const yours = new Hono();
  yours.all('/api/v1/*', (c) => api.fetch(c.req.raw));
  yours.all('/messaging/*', (c) => dashboard.fetch(c.req.raw));
  yours.post('/orders', async (c) => c.json({ ordered: await c.req.json() }));
  return yours;
}
