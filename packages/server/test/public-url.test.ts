import { join } from 'node:path';
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
  expect(server.stdout()).toContain('Trunkline is at https://messages.example.com/service/api/v1\n');
  expect(await server.stop()).toBe(0);
});
