import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface FakeServer {
  readonly url: string;
  count(): number;
}

/** A server that accepts each connection and ends it in the same packet, as a stopping PostgreSQL may. */
export function farewellServer(): Promise<FakeServer> {
  const shuttingDown = fatal('57P01', 'terminating connection due to administrator command');
  return respondingServer('me:hush', Buffer.concat([AUTHENTICATED, READY, shuttingDown]));
}

/** A server that refuses each connection with this SQLSTATE. */
export function refusingServer(code: string, text: string): Promise<FakeServer> {
  return respondingServer('me:hush', fatal(code, text));
}

/** A server that asks for a password; the URL has none. */
export function askingServer(): Promise<FakeServer> {
  return respondingServer('me', SASL, SASL_CONTINUE);
}

/** A server that ends each connection after the last of its responses. */
async function respondingServer(user: string, ...responses: readonly Buffer[]): Promise<FakeServer> {
  let count = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    count += 1;
    const left = [...responses];
    socket.on('data', () => {
      socket.write(left.shift() ?? '');
      if (left.length === 0) socket.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { url: `postgres://${user}@127.0.0.1:${port}/app`, count: () => count };
}

/** A message of PostgreSQL's protocol: a letter, the length (of itself and the body), and the body. */
function message(letter: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(letter), length, body]);
}

const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const SASL = message('R', Buffer.from('\0\0\0\x0aSCRAM-SHA-256\0\0'));
const SASL_CONTINUE = message('R', Buffer.from('\0\0\0\x0br=nonce'));

function fatal(code: string, text: string): Buffer {
  return message('E', Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`));
}
