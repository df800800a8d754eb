import { afterEach, expect, it, vi } from 'vitest';
import { undiciWebhookSender } from '@trunkline/core/node';
import { PATIENT, Servers, respondOk } from './servers.ts';

// A runtime that always connects to 127.0.0.1, whatever the requested address.
vi.mock('node:net', async (importOriginal) => {
  const net = await importOriginal<typeof import('node:net')>();
  return {
    ...net,
    connect: (options: { host: string; port: number }) => net.connect({ ...options, host: '127.0.0.1' }),
  };
});

const servers = new Servers();
afterEach(() => servers.close());

it('the webhook sender sends nothing on a connection to another address than the one that was checked', async () => {
  let received = 0;
  const { port } = await servers.raw((socket) => {
    socket.on('data', (bytes) => (received += bytes.length));
    respondOk(socket);
  });
  const sender = undiciWebhookSender({
    dns: { resolve: async () => ['127.0.0.2'] },
    timeouts: PATIENT,
  });
  const request = { headers: [], body: '{}', urlPolicy: 'local' as const };
  expect(await sender.send({ ...request, url: `http://hooks.test:${port}/` })).toEqual({
    errorCode: 'UNSAFE_URL',
    responseStatus: null,
    responseBody: null,
  });
  // As a control: the same server is reached if the checked address is the server's.
  expect(await sender.send({ ...request, url: `http://127.0.0.1:${port}/` })).toMatchObject({
    errorCode: null,
  });
  expect(received).toBeLessThan(200);
  await sender.close();
});
