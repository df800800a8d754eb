import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface CountingProxy {
  /** The server's URL, through the proxy. */
  readonly url: string;
  /** How many connections through the proxy have been closed. */
  closed(): number;
  /** The bytes that clients have sent so far, as Latin-1 text. */
  sent(): string;
}

export async function countingProxy(serverUrl: string): Promise<CountingProxy> {
  const target = new URL(serverUrl);
  let closed = 0;
  const sent: Buffer[] = [];
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    client.on('data', (data) => sent.push(data));
    client.pipe(server).pipe(client);
    client.on('error', () => server.destroy());
    server.on('error', () => client.destroy());
    client.on('close', () => {
      closed += 1;
      server.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  const url = new URL(serverUrl);
  url.port = String((proxy.address() as AddressInfo).port); // the server listens on TCP
  return { url: url.href, closed: () => closed, sent: () => Buffer.concat(sent).toString('latin1') };
}
