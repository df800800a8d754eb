import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that Linux and macOS give to outgoing connections, because such a connection could take the port
 * while the program that needs it starts or restarts.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** A port of 127.0.0.1 without a listener, for a program that cannot take port 0 or has to keep its port. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') continue;
      throw error;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
