import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeRuntime } from '@trunkline/core/node';
import { dashboardFor } from '../src/dashboard.ts';
import { expressApp } from '../src/express.ts';
import { fastifyServer } from '../src/fastify.ts';
import { honoApp } from '../src/hono.ts';
import { nextRoute } from '../src/next-route.ts';
import { nodeServer } from '../src/node-server.ts';
import { everywherePublic, startService } from '../src/service.ts';
import type { Mountable } from '../src/service.ts';
import { listening } from './listening.ts';
import { smoke } from './smoke.ts';
import { startReceiver } from './webhook-receiver.ts';

const apiKey = 'the-key-of-the-smoke-test';

const CUSTOMER = 'customer=acme';

async function startMountable(): Promise<Mountable> {
  const { api, trunkline, stop } = await startService(nodeRuntime({ dns: everywherePublic }), { apiKey });
  onTestFinished(stop);
  const [workspace] = await trunkline.admin.workspaces.list();
  const workspaceOf = async ({ headers }: Request): Promise<string | null> =>
    headers.get('Cookie') === CUSTOMER ? (workspace?.id ?? null) : null;
  return { api, dashboard: dashboardFor(trunkline, workspaceOf) };
}

type Mounted = {
  readonly origin: string;
  readonly fetch: (url: string, init: RequestInit) => Response | Promise<Response>;
};

const mounts: Readonly<Record<string, (parts: Mountable) => Promise<Mounted>>> = {
  async node({ api }) {
    const server = nodeServer(api, 0);
    onTestFinished(() => void server.close());
    return { origin: await listening(server), fetch };
  },
  async express(parts) {
    const server = createServer(expressApp(parts)).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    return { origin: await listening(server), fetch };
  },
  async fastify(parts) {
    const server = fastifyServer(parts);
    onTestFinished(() => server.close());
    return { origin: await server.listen({ host: '127.0.0.1', port: 0 }), fetch };
  },
  async hono(parts) {
    const app = honoApp(parts);
    return { origin: 'http://localhost', fetch: (url, init) => app.request(url, init) };
  },
  async 'next-route'({ api, dashboard }) {
    const routes = { '/api/v1/': nextRoute(api), '/messaging': nextRoute(dashboard) };
    const notOfTheRoute = (): Response => new Response(null, { status: 405 }); // Next.js itself responds like this
    const fetch: Mounted['fetch'] = (url, init) => {
      const request = new Request(url, init);
      const route = Object.entries(routes).find(([path]) => new URL(url).pathname.startsWith(path))?.[1];
      const handler = Object.entries(route ?? {}).find(([method]) => method === request.method)?.[1];
      return (handler ?? notOfTheRoute)(request);
    };
    return { origin: 'http://localhost', fetch };
  },
};

describe('the API works:', () => {
  it.each(Object.entries(mounts))('mounted in %s', async (_name, mount) => {
    const mounted = await mount(await startMountable());
    await smoke({ ...mounted, apiKey, everyRole: true, receiverUrl: await startReceiver() });
  });
});

describe('the dashboard works:', () => {
  it.each(['express', 'fastify', 'hono', 'next-route'])('mounted in %s', async (name) => {
    const { origin, fetch: send } = (await mounts[name]?.(await startMountable())) ?? {};
    const visit = async (path: string, init: RequestInit = {}): Promise<Response> => {
      const response = await send?.(new URL(path, origin).href, init);
      return response ?? expect.unreachable();
    };
    for (const path of ['/messaging', '/messaging/', '/messaging/w/wsp_1/numbers/ins_1']) {
      const page = await visit(path);
      expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.headers.get('Content-Security-Policy')).toContain("script-src 'self'");
      const html = await page.text();
      const base = new URL(/<base href="([^"]+)"/.exec(html)?.[1] ?? 'none:', new URL(path, origin));
      expect(base.pathname).toBe('/messaging/');
      const script = await visit(new URL(/<script[^>]+src="([^"]+)"/.exec(html)?.[1] ?? '', base).pathname);
      expect([script.status, script.headers.get('Content-Type')]).toEqual([
        200,
        'text/javascript; charset=utf-8',
      ]);
      expect((await script.text()).length).toBeGreaterThan(1_000);
    }

    const stranger = await visit('/messaging/api/session');
    expect(stranger.status).toBe(401);
    await stranger.text();
    const headers = { Cookie: CUSTOMER };
    const session = await visit('/messaging/api/session', { headers });
    const { data } = (await session.json()) as { data: { workspace: { id: string; name: string } } };
    expect(data).toMatchObject({ access: 'workspace', workspace: { name: 'Acme' } });
    const instances = `/messaging/api/workspaces/${data.workspace.id}/instances`;
    const create = { method: 'POST', body: '{"name":"Front desk"}' };
    const own = { ...headers, 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' };
    expect((await visit(instances, { ...create, headers: own })).status).toBe(201);
    const forged = await visit(instances, { ...create, headers: { ...own, 'Sec-Fetch-Site': 'cross-site' } });
    expect(forged.status).toBe(403);
    await forged.text();
    const listed = await visit(instances, { headers });
    expect(await listed.json()).toMatchObject({ data: [{ name: 'Front desk' }] });
  });
});

describe('the rest of the app still works:', () => {
  it.each(['express', 'fastify', 'hono'])('mounted in %s', async (name) => {
    const mounted = await mounts[name]?.(await startMountable());
    const response = await mounted?.fetch(`${mounted.origin}/orders`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"id":4711}',
    });
    expect(await response?.json()).toEqual({ ordered: { id: 4711 } });
  });
});
