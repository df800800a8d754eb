import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

/** A line to a port of this machine on which every byte takes `delayMs` in each direction. */
export async function slowLine(port: number, delayMs: number): Promise<{ port: number; close(): void }> {
  const open = new Set<Socket>();
  const carry = (from: Socket, to: Socket): void => {
    open.add(from);
    from.on('data', (bytes) => setTimeout(() => void (to.writable && to.write(bytes)), delayMs));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      open.delete(from);
      setTimeout(() => to.destroy(), delayMs);
    });
  };
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
    carry(client, upstream);
    carry(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The line has no port.');
  return {
    port: address.port,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
