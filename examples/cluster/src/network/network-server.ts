import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { WebSocketServer } from 'ws';
import type { GatewayContext } from '@trunkline/core/spi/gateway';
import { createNetwork } from './network.ts';
import type { NetworkOptions } from './network.ts';
import { phoneRoutes } from './phone-routes.ts';
import { CONNECTIONS_PATH } from './protocol.ts';

/** The largest message of a phone, including its file, in bytes. */
const LARGEST_MESSAGE = 32 * 1_048_576;

export interface NetworkServer {
  /** The URL, without a trailing slash. */
  readonly url: string;
  close(): void;
}

/** Serves a sandbox network on this machine only, because there is no authentication. Port 0 takes any free port. */
export async function startNetwork(
  port: number,
  context: GatewayContext,
  options: NetworkOptions = {},
): Promise<NetworkServer> {
  const network = createNetwork(context, options);
  const app = phoneRoutes(network);
  const handle = getRequestListener(app.fetch);
  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing));
  const sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST_MESSAGE });
  server.on('upgrade', (request, socket, head) => {
    const peer = peerOf(request);
    if (!peer) return socket.destroy();
    return sockets.handleUpgrade(request, socket, head, (opened) => network.accept(opened, peer));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = server.address() as AddressInfo; // the server uses TCP
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
      server.closeAllConnections();
    },
  };
}

function peerOf({ url = '' }: IncomingMessage): { instanceId: string; owner: string } | null {
  const { pathname, searchParams } = new URL(url, 'ws://network');
  if (!pathname.startsWith(CONNECTIONS_PATH)) return null;
  return { instanceId: pathname.slice(CONNECTIONS_PATH.length), owner: searchParams.get('owner') ?? '' };
}
