import { once } from 'node:events';
import { createServer as createHttp, type RequestListener, type Server as HttpServer } from 'node:http';
import { createServer as createTcp, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';
import {
  createServer as createTls,
  type Server as TlsServer,
  type TLSSocket,
  type TlsOptions,
} from 'node:tls';
import type { WebhookTimeouts } from '@trunkline/core/node';
import { HANG_MS } from '@trunkline/test-support';

/** Timeouts of a sender whose request should succeed. The usual ten seconds are too few on a busy machine. */
export const PATIENT = { connectMs: HANG_MS, totalMs: HANG_MS } satisfies WebhookTimeouts;

type Listening = NetServer | HttpServer | TlsServer;

/** Servers on loopback, which `close` ends together with their connections. */
export class Servers {
  readonly #servers: Listening[] = [];
  readonly #sockets = new Set<Socket>();

  get open(): number {
    return this.#sockets.size;
  }

  async http(listener: RequestListener, address = '127.0.0.1'): Promise<Running<HttpServer>> {
    return this.#start(createHttp(listener), address);
  }

  /** A server of raw bytes, for responses that no HTTP server would send. */
  async raw(
    onConnection: (socket: Socket) => void,
    address = '127.0.0.1',
    port = 0,
  ): Promise<Running<NetServer>> {
    return this.#start(createTcp(onConnection), address, port);
  }

  async tls(
    options: TlsOptions,
    onConnection: (socket: TLSSocket) => void = respondOk,
  ): Promise<Running<TlsServer>> {
    const server = createTls(options, onConnection);
    server.on('tlsClientError', () => {}); // the tests check the client's error
    return this.#start(server, '127.0.0.1');
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(
      this.#servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))),
    );
  }

  async #start<Server extends Listening>(
    server: Server,
    address: string,
    port = 0,
  ): Promise<Running<Server>> {
    const running = { server, port: 0, connections: 0 };
    this.#servers.push(server);
    server.on('connection', (socket: Socket) => {
      running.connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.listen(port, address);
    await once(server, 'listening');
    running.port = (server.address() as AddressInfo).port; // an object, as the server listens on a port
    return running;
  }
}

export interface Running<Server> {
  readonly server: Server;
  readonly port: number;
  readonly connections: number;
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Responds with 200 to every request, and leaves the connection open. */
export function respondOk(socket: Socket): void {
  socket.on('error', () => {});
  socket.on('data', () => socket.write(OK));
}
