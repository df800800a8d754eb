import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface StallableProxy {
  readonly port: number;
  /** Silently stops passing on data in both directions, which leaves half-open sockets. */
  stall(): void;
  /** `pass_on` passes on the held data; `cut` ends all current connections. */
  resume(how: 'pass_on' | 'cut'): void;
  close(): void;
}

export async function stallableProxy(targetPort: number): Promise<StallableProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isStalled = false;
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    const pair = [client, target] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [target, client] as const]) {
      from.on('data', (bytes) => void to.write(bytes));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        // A stalled proxy does not pass on the end of a connection either.
        if (isStalled) return;
        to.destroy();
        pairs.delete(pair);
      });
      if (isStalled) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port, // the server uses TCP
    stall() {
      isStalled = true;
      for (const socket of [...pairs].flat()) socket.pause();
    },
    resume(how) {
      isStalled = false;
      for (const pair of pairs) {
        const ends = how === 'cut' || pair.some((socket) => socket.destroyed);
        for (const socket of pair)
          if (ends) socket.destroy();
          else socket.resume();
        if (ends) pairs.delete(pair);
      }
    },
    close() {
      server.close();
      for (const socket of [...pairs].flat()) socket.destroy();
    },
  };
}
