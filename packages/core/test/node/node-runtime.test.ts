import { afterEach, expect, it } from 'vitest';
import { nodeRuntime } from '@trunkline/core/node';
import { HANG_MS } from '@trunkline/test-support';
import { Servers, respondOk } from './servers.ts';

const servers = new Servers();
afterEach(() => servers.close());

it('nodeRuntime serves every port that Node can serve', async () => {
  const { port } = await servers.raw(respondOk);
  const runtime = nodeRuntime();
  expect(runtime.clock.now()).toBeGreaterThan(0);
  expect(runtime.random.bytes(16)).toHaveLength(16);
  expect(runtime.crypto.sha256('')).toHaveLength(64);
  expect(await runtime.dns.resolve('localhost', AbortSignal.timeout(HANG_MS))).toContain('127.0.0.1');
  const url = `http://localhost:${port}/`;
  expect(await runtime.webhookSender.send({ url, headers: [], body: '', urlPolicy: 'local' })).toMatchObject({
    errorCode: null,
  });
  await runtime.webhookSender.close();
});

it('nodeRuntime sends webhooks to what the given resolver returns', async () => {
  const { port } = await servers.raw(respondOk);
  const asked: string[] = [];
  const runtime = nodeRuntime({
    dns: {
      async resolve(hostname) {
        asked.push(hostname);
        return ['127.0.0.1'];
      },
    },
    webhooks: { timeouts: { totalMs: HANG_MS } },
  });
  const url = `http://hooks.test:${port}/`;
  expect(await runtime.webhookSender.send({ url, headers: [], body: '', urlPolicy: 'local' })).toMatchObject({
    errorCode: null,
  });
  expect(asked).toEqual(['hooks.test']);
  await runtime.webhookSender.close();
});
