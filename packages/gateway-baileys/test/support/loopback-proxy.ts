import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';

/** A proxy on this machine, for a process that can reach nothing without it. */
export interface LoopbackProxy {
  readonly url: string;
  /** As `host:port`. */
  readonly targets: readonly string[];
  readonly tunnels: () => number;
}

const CREDENTIALS = 'user:pass%20word';
const AUTHORIZATION = `Basic ${Buffer.from('user:pass word').toString('base64')}`;

const outward = new WeakSet<Socket>();
let isOutward = false;

function openOutward(host: string, port: number): Socket {
  isOutward = true;
  try {
    const socket = connect({ host, port });
    outward.add(socket);
    return socket;
  } finally {
    isOutward = false;
  }
}

/**
 * Cuts each connection that this process opens to a port not in `ports`, except the proxies' own, until the test ends.
 * Returns the ports of the connections that were cut.
 */
export function refuseAllBut(ports: () => readonly number[]): readonly number[] {
  const refused: number[] = [];
  const watch = (message: unknown): void => {
    if (isOutward) return;
    const { socket } = message as { socket: Socket }; // the channel's message
    socket.once('connect', () => {
      const { remotePort = 0 } = socket;
      if (outward.has(socket) || ports().includes(remotePort)) return;
      refused.push(remotePort);
      socket.destroy();
    });
  };
  subscribe('net.client.socket', watch);
  onTestFinished(() => void unsubscribe('net.client.socket', watch));
  return refused;
}

/** Requires a password. */
export async function startHttpProxy(): Promise<LoopbackProxy> {
  const targets: string[] = [];
  let tunnels = 0;
  const server = createHttpServer((_, response) => response.writeHead(405).end());
  server.on('connect', (request, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy());
    if (request.headers['proxy-authorization'] !== AUTHORIZATION) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    targets.push(request.url ?? '');
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(request.url ?? '') ?? [];
    const target = openOutward(host, Number(port));
    target.once('connect', () => {
      tunnels += 1;
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(head);
      join(client, target);
    });
    target.once('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'));
  });
  return {
    url: `http://${CREDENTIALS}@127.0.0.1:${await listening(server)}`,
    targets,
    tunnels: () => tunnels,
  };
}

/** Starts a SOCKS5 proxy (RFC 1928) without a password. */
export async function startSocksProxy(): Promise<LoopbackProxy> {
  const targets: string[] = [];
  let tunnels = 0;
  const serve = async (client: Socket): Promise<void> => {
    client.once('data', () => client.write(Uint8Array.of(5, 0)));
    await once(client, 'data');
    const [request] = (await once(client, 'data')) as [Buffer]; // the request arrives in one piece
    const isName = request[3] === 3;
    const end = isName ? 5 + (request[4] ?? 0) : 8;
    const host = isName ? request.toString('latin1', 5, end) : request.subarray(4, end).join('.');
    const port = request.readUInt16BE(end);
    targets.push(`${host}:${port}`);
    const target = openOutward(host, port);
    const reply = (status: number): void =>
      void client.write(Uint8Array.of(5, status, 0, 1, 0, 0, 0, 0, 0, 0));
    target.once('connect', () => {
      tunnels += 1;
      reply(0);
      join(client, target);
    });
    target.once('error', () => {
      reply(4);
      client.end();
    });
  };
  const server = createServer((client) => {
    client.on('error', () => client.destroy());
    void serve(client).catch(() => client.destroy());
  });
  return { url: `socks5://127.0.0.1:${await listening(server)}`, targets, tunnels: () => tunnels };
}

function join(client: Duplex, target: Duplex): void {
  client.pipe(target).pipe(client);
  const end = (): void => {
    client.destroy();
    target.destroy();
  };
  client.once('close', end);
  target.once('close', end).on('error', end);
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port; // it listens on TCP
}
