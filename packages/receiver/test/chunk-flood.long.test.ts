import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { signRequest } from '@trunkline/receiver/testing';
import { startProgram } from '@trunkline/test-support/start-program';

const secret = 'whsec_VGhpc0lzT25seUZvclRlc3RzVGhpc0lzT25seUZvclQ';
const MB = 1_048_576;
const CONNECTIONS = 16;
/** The limit for the peak memory. With an object per chunk, these bodies would take more than 400 MB. */
const MEMORY = 160 * MB;
const CHUNKS = 65_536;

const programs = {
  'node:http': `
    import { nodeHandler } from '@trunkline/receiver/node';
    const listener = nodeHandler(receiver);`,
  'a Fetch handler on @hono/node-server': `
    import { getRequestListener } from '@hono/node-server';
    import { fetchHandler } from '@trunkline/receiver/fetch';
    const listener = getRequestListener(fetchHandler(receiver));`,
};

interface Receiver {
  readonly port: number;
  /** In bytes. */
  peakMemory(): number;
}

async function start(listener: string): Promise<Receiver> {
  const program = `
    import { createServer } from 'node:http';
    import { createReceiver } from '@trunkline/receiver';
    const receiver = createReceiver({ secret: '${secret}' });
    ${listener}
    const server = createServer(listener);
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = startProgram(process.execPath, {
    args: ['--conditions=source', '--input-type=module', '--eval', program],
    cwd: new URL('..', import.meta.url),
  });
  onTestFinished(() => child.kill());
  const [port] = await child.printed(/^\d+$/m);
  return {
    port: Number(port),
    peakMemory() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    },
  };
}

/** Sends CHUNKS chunks of one byte and leaves the body unfinished. Resolves when all are sent or the socket is closed. */
async function flood(port: number, headers: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const closed = once(socket, 'close').catch(() => {});
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${headers}Transfer-Encoding: chunked\r\n\r\n`);
  const chunks = '1\r\nx\r\n'.repeat(8192);
  for (let sent = 0; sent < CHUNKS && !socket.destroyed; sent += 8192) {
    if (!socket.write(chunks)) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
  }
  return socket;
}

describe.runIf(process.platform === 'linux')('a receiver process', () => {
  it.each(Object.entries(programs))(
    'outlives 16 connections of unsigned bodies in one-byte chunks: %s',
    async (_name, listener) => {
      const { port, peakMemory } = await start(listener);
      const genuine = await signRequest({ secret });
      // The server might close an idle connection just as it is reused.
      const headers = { ...genuine.headers, Connection: 'close' };
      const sent = (): Promise<Response> => fetch(`http://127.0.0.1:${port}/`, { ...genuine, headers });
      expect((await sent()).status).toBe(204);
      // A stranger knows only the form of a signature and the time.
      const guess = `X-Service-Timestamp: ${Math.floor(Date.now() / 1000)}\r\nX-Service-Signature: v1=${'0'.repeat(64)}\r\n`;
      const flooding = await Promise.all(Array.from({ length: CONNECTIONS }, () => flood(port, guess)));
      expect(flooding.filter(({ destroyed }) => destroyed)).toEqual([]);
      expect((await sent()).status).toBe(204);
      expect(peakMemory()).toBeLessThan(MEMORY);
    },
  );

  it.each(Object.entries(programs))(
    'closes the connection of a request without a signature after its headers: %s',
    async (_name, listener) => {
      const { port } = await start(listener);
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => {});
      let response = '';
      socket.on('data', (chunk) => (response += String(chunk)));
      const closed = once(socket, 'close');
      socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
      await closed;
      expect(response).toMatch(/^HTTP\/1\.1 401 .*missing_timestamp/s);
    },
  );
});
