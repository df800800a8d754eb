import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server that welcomes each connection and ends it in the same piece of bytes, as one may that is being stopped. */
export async function farewellServer(): Promise<{ readonly url: string; count(): number }> {
  let count = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      count += 1;
      socket.end(Buffer.concat([AUTHENTICATED, READY, SHUTTING_DOWN]));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { url: `postgres://me:hush@127.0.0.1:${port}/app`, count: () => count };
}

/** Of PostgreSQL's protocol: a letter, the length of what follows with its own, and that. */
function message(letter: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(letter), length, body]);
}

const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const SHUTTING_DOWN = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
);
