import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { HttpConnection } from '../../src/node/webhook-sender/http-connection.ts';
import type { WebhookRequest } from '../../src/ports/webhook-sender.ts';
import { Servers, respondOk } from './servers.ts';

const servers = new Servers();
afterEach(() => servers.close());

const request: WebhookRequest = { url: '', headers: [], body: 'hi', urlPolicy: 'local' };
const { signal } = new AbortController();

async function openConnection(): Promise<{ connection: HttpConnection; received: () => number }> {
  let received = 0;
  const { port } = await servers.raw((socket) => {
    socket.on('data', () => (received += 1));
    respondOk(socket);
  });
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const connection = new HttpConnection(socket, `http://hooks.test:${port}`, '127.0.0.1');
  return { connection, received: () => received };
}

it('an HTTP connection that is lost while idle has no response to the next request', async () => {
  const { connection, received } = await openConnection();
  expect(await connection.post('/', request, signal)).toEqual({ status: 200, body: 'ok' });
  expect(connection.hasResponded).toBe(true);
  const lost = connection.post('/', request, signal);
  connection.destroy();
  await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
  expect(connection.hasResponded).toBe(false);
  expect(received()).toBe(1);
  expect(connection.reusable).toBe(false);
});

it('an HTTP connection that is lost before the first request has no response to it', async () => {
  const { connection, received } = await openConnection();
  connection.destroy();
  await expect(connection.post('/', request, signal)).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
  expect(connection.hasResponded).toBe(false);
  expect(received()).toBe(0);
});

it('an HTTP connection ends immediately when the time is over', async () => {
  const { connection } = await openConnection();
  const over = AbortSignal.abort(new Error('too late'));
  await expect(connection.post('/', request, over)).rejects.toThrow('too late');
  expect(connection.reusable).toBe(false);
});
