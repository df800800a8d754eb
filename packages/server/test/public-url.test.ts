import { join } from 'node:path';
import { until } from '@trunkline/test-support';
import { expect, it } from 'vitest';
import { startServer } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { API_KEY, testClient } from './support/test-client.ts';

it('With PUBLIC_URL, addresses in responses and on the terminal are the public ones', async () => {
  const server = await startServer({
    env: {
      DATA_DIR: join(temporaryDirectory(), 'data'),
      API_KEY,
      PUBLIC_URL: 'https://messages.example.com/service/',
      GATEWAYS: 'sandbox,sandbox_credentials',
    },
  });
  const client = testClient(server.url);
  const { id } = await client.createInstance();
  await client.connect(id);
  for (const text of ['one', 'two']) {
    const body = { instance: id, to: '15550100', type: 'text', text };
    expect((await client.request('POST', '/api/v1/messages', { body })).status).toBe(202);
  }
  const { body } = await client.request('GET', '/api/v1/messages?limit=1');
  const path = 'https://messages.example.com/service/api/v1/messages';
  expect(body).toMatchObject({
    links: { next: expect.stringMatching(`^${path}\\?limit=1&cursor=`) },
    meta: { path },
  });
  expect((await client.request('GET', '/api/v1/openapi.json')).body).toMatchObject({
    servers: [{ url: 'https://messages.example.com/service/api/v1' }],
  });

  const json = { network: 'sandbox_credentials', name: 'Desk' };
  const created = await client.request('POST', '/api/v1/instances', { body: json });
  const { data } = created.body as { readonly data: { readonly id: string } }; // the specification defines this type
  await client.request('POST', `/api/v1/instances/${data.id}/connect`);
  const address = await until('the QR is shown', async () => {
    const qr = await client.request('GET', `/api/v1/instances/${data.id}/qr`);
    return (qr.body as { readonly data?: { readonly code: string } }).data?.code;
  });
  expect(address).toMatch(/^https:\/\/messages\.example\.com\/service\/link\/[\w-]+$/);
  const page = server.url + address.slice('https://messages.example.com/service'.length);
  expect(await (await fetch(page)).text()).toContain('Link Desk');
  const entered = new URLSearchParams({ phone_number: '15550166', access_token: 'sandbox-sesame' });
  expect((await fetch(page, { method: 'POST', body: entered })).status).toBe(200);
  await until('the number is connected', async () => (await client.instance(data.id)).status === 'connected');
  const called = await client.request('POST', `/sandbox/instances/${data.id}/messages`, {
    body: { from: '15550100', text: 'Hello' },
  });
  expect(called.status).toBe(202);
  expect(server.stdout() + server.stderr()).not.toContain('sesame');
  expect(server.stdout()).toContain('Trunkline is at https://messages.example.com/service/api/v1\n');
  expect(await server.stop()).toBe(0);
});
