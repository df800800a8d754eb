import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { must } from '@trunkline/test-support';

export interface StallingProxy {
  readonly url: string;
  /** From now on, open connections pass nothing in either direction, but are not closed. */
  stall(): void;
  /** Passes on what the stalled connections have sent to the server. */
  deliver(): void;
  /** From now on, new connections lead to another server; open connections stay as they are. */
  leadTo(serverUrl: string): void;
}

/** Stands for a network that silently loses all packets of a connection. */
export async function stallingProxy(serverUrl: string): Promise<StallingProxy> {
  let target = new URL(serverUrl);
  const open = new Set<Socket>();
  const toServer = new Map<Socket, Socket>();
  let stalled: readonly (readonly [Socket, Socket])[] = [];
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    toServer.set(client, server);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => open.delete(from));
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
    for (const socket of open) socket.destroy();
  });
  const url = new URL(serverUrl);
  const address = must(proxy.address());
  url.port = String(typeof address === 'string' ? '' : address.port);
  return {
    url: url.href,
    leadTo(other) {
      target = new URL(other);
    },
    deliver() {
      for (const [client, server] of stalled) client.pipe(server);
    },
    stall() {
      stalled = [...toServer];
      for (const socket of open) {
        socket.unpipe();
        socket.pause();
      }
    },
  };
}
