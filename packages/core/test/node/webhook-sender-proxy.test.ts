import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { PATIENT, Servers, respondOk } from './servers.ts';

const servers = new Servers();
afterEach(() => servers.close());

it('the webhook sender does not use the proxy that the environment names', async () => {
  const receiver = await servers.raw(respondOk);
  const proxy = await servers.raw(respondOk);
  // A separate process, since Node reads NODE_USE_ENV_PROXY when it starts.
  const program = `
    import { undiciWebhookSender } from '@trunkline/core/node';
    const sender = undiciWebhookSender({
      dns: { resolve: async () => ['127.0.0.1'] },
      timeouts: ${JSON.stringify(PATIENT)},
    });
    const url = 'http://hooks.test:${receiver.port}/';
    const response = await sender.send({ url, headers: [], body: '{}', urlPolicy: 'local' });
    await sender.close();
    console.log(JSON.stringify(response));`;
  const proxyUrl = `http://127.0.0.1:${proxy.port}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=source', '--input-type=module', '-e', program],
    {
      cwd: new URL('../..', import.meta.url),
      env: {
        ...process.env,
        ...Object.fromEntries(names.map((name) => [name, proxyUrl])),
        NO_PROXY: '',
        no_proxy: '',
        NODE_USE_ENV_PROXY: '1',
      },
    },
  );
  expect(JSON.parse(stdout)).toEqual({ errorCode: null, responseStatus: 200, responseBody: 'ok' });
  expect([receiver.connections, proxy.connections]).toEqual([1, 0]);
});
