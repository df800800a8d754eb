// Responds to each webhook after a few milliseconds, and keeps a log of arrivals.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveParent } from '../child.ts';

/** Times are epoch milliseconds. */
export interface Arrival {
  readonly path: string;
  readonly deliveryId: string;
  readonly at: number;
  readonly respondedAt: number;
}

const RESPONDS_AFTER_MS = 5;
let log: Arrival[] = [];
const server = createServer((request, response) => {
  const at = performance.timeOrigin + performance.now();
  const { url = '', headers } = request;
  const reply = (): void => {
    const respondedAt = performance.timeOrigin + performance.now();
    log.push({ path: url, deliveryId: String(headers['x-service-delivery']), at, respondedAt });
    response.writeHead(204).end();
  };
  request.resume().once('end', () => setTimeout(reply, RESPONDS_AFTER_MS));
});
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  const takeLog = (): readonly Arrival[] => {
    const taken = log;
    log = [];
    return taken;
  };
  serveParent(`http://127.0.0.1:${port}`, takeLog, () => {
    server.closeAllConnections();
    server.close();
  });
});
