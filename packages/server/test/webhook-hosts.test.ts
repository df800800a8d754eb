import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { must, until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { runServer, startServer } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { API_KEY, testClient } from './support/test-client.ts';
import { startReceiver } from './support/test-receiver.ts';

async function start(env: Readonly<Record<string, string>>) {
  const server = await startServer({
    env: { DATA_DIR: join(temporaryDirectory(), 'data'), API_KEY, ...env },
  });
  onTestFinished(() => server.kill());
  const client = testClient(server.url);
  const create = (url: string) =>
    client.request('POST', '/api/v1/webhooks', { body: { url, events: ['message.sent'] } });
  return { server, client, create, port: Number(new URL(server.url).port) };
}

const refused = {
  status: 422,
  body: { error: { code: 'INVALID_WEBHOOK_URL', message: expect.stringContaining('WEBHOOK_ALLOW') } },
};

it('Webhooks reach a receiver in the private network that WEBHOOK_ALLOW names, and not the server itself', async () => {
  const receiver = await startReceiver();
  const { server, client, create, port } = await start({ WEBHOOK_ALLOW: 'localhost, 127.0.0.0/8' });
  expect(JSON.parse(server.stderr())).toMatchObject({
    level: 40,
    hosts: ['localhost', '127.0.0.0/8'],
    msg: expect.stringContaining('WEBHOOK_ALLOW lets the webhooks of every workspace go to'),
  });

  const { secret } = await client.registerWebhook(receiver.url, ['instance.qr_required']);
  receiver.secret = secret;
  const { id } = await client.createInstance();
  await client.request('POST', `/api/v1/instances/${id}/connect`);
  const [request] = await until('the webhook arrives', async () =>
    receiver.requests.length > 0 ? receiver.requests : undefined,
  );
  expect(request?.event).toMatchObject({ type: 'instance.qr_required' });

  for (const host of ['localhost', '127.0.0.1', '0x7f.1', '[::ffff:127.0.0.1]'])
    expect(await create(`http://${host}:${port}/api/v1/webhooks`), host).toMatchObject(refused);
  expect((await create(`http://localhost:${port === 9 ? 10 : 9}/`)).status).toBe(201);
});

it.runIf(isLongForm)(
  'A server that listens on all addresses cannot be reached at any of them, nor at PUBLIC_URL',
  async () => {
    const { server, create, port } = await start({
      HOST: '0.0.0.0',
      PUBLIC_URL: 'https://Messages.localhost',
      WEBHOOK_URL_POLICY: 'local',
      WEBHOOK_ALLOW: '0.0.0.0/0,0.0.0.0,*.localhost',
    });
    expect(server.stderr()).toContain('WEBHOOK_ALLOW lets');
    for (const host of [
      '127.0.0.1',
      '127.1.2.3',
      '0.0.0.0',
      'localhost',
      'a.localhost',
      '[::ffff:127.0.0.1]',
    ])
      expect(await create(`http://${host}:${port}/`), host).toMatchObject(refused);
    expect(await create('https://messages.localhost/hook')).toMatchObject(refused);
    expect(await create('https://messages.localhost./hook')).toMatchObject(refused);
    expect((await create('https://others.localhost/hook')).status).toBe(201);
  },
);

it.runIf(isLongForm)(
  'The address of the metrics is refused like the server itself, however it is written',
  async () => {
    const { server, create } = await start({ WEBHOOK_ALLOW: '127.0.0.0/8', METRICS_ADDRESS: '127.0.0.1:0' });
    const { port } = new URL(must(/^The metrics are at (http:\S+)$/m.exec(server.stdout())?.[1]));
    for (const host of ['127.0.0.1', '0x7f.1', '0.0.0.0', '[::ffff:127.0.0.1]'])
      expect(await create(`http://${host}:${port}/metrics`), host).toMatchObject(refused);
    // Another address of the machine is not the server's own.
    expect((await create(`http://127.0.0.2:${port}/metrics`)).status).toBe(201);
  },
);

it('WEBHOOK_DENY refuses what WEBHOOK_ALLOW and the policy would accept', async () => {
  const { create } = await start({
    WEBHOOK_URL_POLICY: 'local',
    WEBHOOK_ALLOW: 'localhost',
    WEBHOOK_DENY: '127.0.0.0/8,::1',
  });
  expect(await create('http://localhost:9/')).toMatchObject(refused);
  expect(await create('http://127.0.0.1:9/')).toMatchObject(refused);
});

it.runIf(isLongForm)(
  'Without the lists, a receiver in a private network is refused with the name of the setting',
  async () => {
    const receiver = await startReceiver();
    const { server, create } = await start({});
    expect(await create(receiver.url)).toMatchObject(refused);
    expect(await create('http://n8n.invalid:5678/')).toMatchObject(refused);
    expect(server.stderr()).toBe('');
  },
);

it.runIf(isLongForm)('A wrong entry ends the start with a line that names it and the variable', async () => {
  const env = { WEBHOOK_ALLOW: 'n8n,10.0.0.0/33', WEBHOOK_DENY: '::ffff:10.0.0.1' };
  const { code, stdout, complaints } = await runServer({ env, cwd: temporaryDirectory() });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(complaints()).toEqual([
    expect.stringMatching(/^WEBHOOK_ALLOW must be a comma list of hosts, but "10\.0\.0\.0\/33" is /),
    expect.stringMatching(/^WEBHOOK_DENY must be a comma list of hosts, but "::ffff:10\.0\.0\.1" is /),
  ]);
});
