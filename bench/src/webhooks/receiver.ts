// Responds to every webhook with 200, over TLS.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { serveParent } from '../child.ts';

const [cert = '', key = ''] = process.argv.slice(2);
let received = 0;
const server = createServer({ cert, key, keepAliveTimeout: 120_000 }, (request, response) => {
  request.resume().once('end', () => {
    received += 1;
    response.writeHead(200, { 'Content-Length': '2' }).end('ok');
  });
});
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  const count = (): number => {
    const before = received;
    received = 0;
    return before;
  };
  serveParent(port, count, () => void server.close());
});
