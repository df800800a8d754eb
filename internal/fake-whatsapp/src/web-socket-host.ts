import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { Connection } from './connection/connection.ts';
import type { Behaviour } from './connection/connection.ts';
import { logIn } from './connection/login.ts';
import { respondToQuery } from './connection/queries.ts';
import { Switchboard } from './connection/switchboard.ts';
import { onMessage } from './messages/on-message.ts';
import { onReceipt } from './messages/receipts.ts';
import type { Network } from './network.ts';
import { onPairingSigned } from './pairing/pair.ts';
import { offerQr } from './pairing/qr.ts';
import { child } from './stanza.ts';
import type { Stanza } from './stanza.ts';

export class WebSocketHost implements Behaviour {
  readonly switchboard: Switchboard = new Switchboard();
  readonly #network: Network;
  readonly #http: Server = createServer((request, response) => this.#respond(request, response));
  readonly #webSockets = new WebSocketServer({ noServer: true });
  /** Upgrades that are left without a response. */
  readonly #unanswered = new Set<Duplex>();
  #connections = 0;

  constructor(network: Network) {
    this.#network = network;
    this.#http.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    const address = this.#http.address();
    if (address === null || typeof address === 'string') throw new Error('the server is not listening');
    return `ws://127.0.0.1:${String(address.port)}/ws/chat`;
  }

  async stop(): Promise<void> {
    for (const connection of this.switchboard.all) connection.drop();
    for (const client of this.#webSockets.clients) client.terminate();
    for (const socket of this.#unanswered) socket.destroy();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  begin(connection: Connection, payload: Parameters<typeof logIn>[1]): void {
    if (payload.devicePairingData) offerQr(connection);
    else logIn(connection, payload, this.switchboard);
  }

  async handle(connection: Connection, node: Stanza): Promise<void> {
    switch (node.tag) {
      case 'iq':
        if (node.attrs['type'] === 'result') onPairingSigned(connection, node);
        else await respondToQuery(connection, node);
        return;
      case 'message':
        await onMessage(connection, node);
        return;
      case 'receipt':
        await onReceipt(connection, node);
        return;
      case 'ack': {
        const { keepsRefused } = this.#network.disturbances;
        connection.companion?.inbox.acknowledge(node, { keepsRefused });
        return;
      }
      case 'ib':
        connection.companion?.inbox.sendBatch(Number(child(node, 'offline_batch')?.attrs['count'] ?? 0));
    }
    // Presence, chat states and the like need no response.
  }

  end(connection: Connection): void {
    const { companion } = connection;
    if (!this.switchboard.remove(connection) || companion === undefined) return;
    companion.inbox.disconnect(connection);
    this.#network.chronicle.actions.add({ type: 'offline', account: companion.account.phoneNumber });
  }

  /** Serves the file in which web.whatsapp.com names the current version of its client. */
  #respond({ url }: IncomingMessage, response: ServerResponse): void {
    const [, , revision] = this.#network.versions.current;
    if (url === '/sw.js') response.end(`{"client_revision":${String(revision)}}`);
    else response.writeHead(404).end();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { upgradeResponse } = this.#network.disturbances;
    if (upgradeResponse === 'silence') {
      this.#unanswered.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#unanswered.delete(socket));
    } else if (upgradeResponse !== undefined) {
      socket.end(`HTTP/1.1 ${String(upgradeResponse)} Refused\r\nContent-Length: 0\r\n\r\n`);
    } else {
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => this.#accept(webSocket));
    }
  }

  #accept(webSocket: WebSocket): void {
    this.#connections += 1;
    this.switchboard.add(new Connection(this.#connections, webSocket, this.#network, this));
  }
}
