import { setupServer } from 'msw/node';
import { http, HttpResponse } from 'msw';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { createClient } from '../../src/client/index.ts';
import { startMockTrunkline } from '../../src/msw/index.ts';
import type { MockTrunkline, MockTrunklineOptions } from '../../src/msw/index.ts';

const baseUrl = 'https://api.example.com/api/v1';
const hook = 'https://app.example.com/hook';
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

async function start(options: Partial<MockTrunklineOptions> = {}): Promise<MockTrunkline> {
  const trunkline = await startMockTrunkline({ baseUrl, ...options });
  onTestFinished(() => trunkline.stop());
  server.use(...trunkline.handlers);
  return trunkline;
}

describe('startMockTrunkline', () => {
  it('serves requests to its base URL as the service does', async () => {
    const { apiKey, workspaceId } = await start();
    const response = await fetch(`${baseUrl}/api-key`, { headers: { Authorization: `Bearer ${apiKey}` } });
    expect(await response.json()).toMatchObject({ data: { workspace: { id: workspaceId } } });
    expect((await fetch(`${baseUrl}/api-key`)).status).toBe(401);
    expect((await fetch(`${baseUrl}/nothing`)).status).toBe(404);
  });

  it.each(['https://api.example.com', 'http://localhost:8080/messaging/v1/'])(
    'is served at %s',
    async (where) => {
      const trunkline = await start({ baseUrl: where });
      const client = createClient(trunkline);
      expect(await client.instances.create({ name: 'Orders' })).toMatchObject({ ok: true });
      const page = await client.messages.list({ limit: 1 });
      expect(page).toMatchObject({ ok: true, data: [] });
    },
  );

  it('delivers messages in real time', async () => {
    const trunkline = await start();
    const { id } = await trunkline.connectInstance({ name: 'Orders' });
    const client = createClient(trunkline);
    const sent = await client.messages.send({ instance: id, to: '+1 555 0100', type: 'text', text: 'Hello' });
    await eventually(async () => {
      const [message] = (await trunkline.workspace.messages.list()).data;
      expect(message).toMatchObject({ id: sent.ok && sent.data.id, status: 'read' });
    });
    expect(trunkline.sandbox.phone(id).accepted()).toHaveLength(1);
  });

  it('has the rate limit that it is given', async () => {
    const client = createClient({ ...(await start({ rateLimit: { requestsPerMinute: 1 } })), maxRetries: 0 });
    await client.instances.list();
    expect(await client.instances.list()).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } });
  });

  it('has nothing in flight after stop()', async () => {
    const trunkline = await startMockTrunkline({ baseUrl });
    const { id } = await trunkline.connectInstance();
    await trunkline.stop();
    const inbound = { from: '15550100', text: 'Hello' };
    await expect(trunkline.sandbox.phone(id).receive(inbound)).rejects.toMatchObject({
      code: 'INVALID_INSTANCE_STATE',
    });
  });
});

describe('the webhooks of the mock', () => {
  const events = ['instance.connected'] as const;

  it('are kept and count as delivered', async () => {
    const { workspace, connectInstance, webhooks } = await start();
    const { id } = await workspace.webhooks.create({ url: hook, events });
    await connectInstance();
    await eventually(async () =>
      expect((await workspace.webhooks.deliveries(id)).data[0]?.status).toBe('success'),
    );
    expect(webhooks).toHaveLength(1);
    expect(webhooks[0]?.url).toBe(hook);
    expect(webhooks[0]?.headers.get('X-Service-Event')).toBe('instance.connected');
    expect(JSON.parse(webhooks[0]?.body ?? '')).toMatchObject({ type: 'instance.connected' });
  });

  it.each<[string, (request: Request) => Response | Promise<Response>, object]>([
    ['taken', () => new Response('ok'), { status: 'success', response_status: 200, error_code: null }],
    [
      'refused',
      () => new Response('no', { status: 500 }),
      { status: 'retrying', response_status: 500, error_code: 'HTTP_ERROR' },
    ],
    [
      'redirected',
      () => Response.redirect('https://elsewhere.example.com/'),
      { status: 'retrying', response_status: 302, error_code: 'REDIRECT' },
    ],
    [
      'not taken by anybody',
      () => Promise.reject(new Error('down')),
      { status: 'retrying', response_status: null, error_code: 'CONNECTION_FAILED' },
    ],
  ])('go to the handler of a route: %s', async (_name, onWebhook, outcome) => {
    const { workspace } = await start({ onWebhook });
    const { id } = await workspace.webhooks.create({ url: hook, events });
    const delivery = await workspace.webhooks.test(id);
    await eventually(async () => expect(await workspace.deliveries.get(delivery.id)).toMatchObject(outcome));
  });

  it('go through fetch to another handler of msw', async () => {
    const { workspace } = await start({ onWebhook: fetch });
    const seen: string[] = [];
    server.use(
      http.post(hook, async ({ request }) => {
        seen.push(await request.text());
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { id } = await workspace.webhooks.create({ url: hook, events });
    const delivery = await workspace.webhooks.test(id);
    await eventually(async () =>
      expect((await workspace.deliveries.get(delivery.id)).status).toBe('success'),
    );
    expect(JSON.parse(seen[0] ?? '')).toMatchObject({ type: 'webhook.test' });
  });

  it('have the URL rules of the service, which can be those of development', async () => {
    const local = { url: 'http://localhost:3000/hook', events };
    const strict = await start();
    await expect(strict.workspace.webhooks.create(local)).rejects.toMatchObject({
      code: 'INVALID_WEBHOOK_URL',
    });
    const loose = await start({ urlPolicy: 'local' });
    expect(await loose.workspace.webhooks.create(local)).toMatchObject({ status: 'enabled' });
  });
});
