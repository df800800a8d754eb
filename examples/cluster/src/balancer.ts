import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface Balancer {
  readonly port: number;
  /** Adds a process, or replaces the address of the process with this name. */
  use(name: string, url: string): void;
  close(): void;
}

/**
 * Distributes connections among the API processes in rotation, skipping any that refuses the connection. Stands in for
 * a real cluster's load balancer, which also checks `/readyz`.
 */
export async function startBalancer(port: number, host: string): Promise<Balancer> {
  const targets = new Map<string, URL>();
  const open = new Set<Socket>();
  let turn = 0;

  const pass = (client: Socket, left: readonly URL[]): void => {
    const [target, ...others] = left;
    if (!target || client.destroyed) return void client.destroy();
    const server = connect(Number(target.port), target.hostname);
    server.once('error', () => pass(client, others));
    server.once('connect', () => {
      server.removeAllListeners('error');
      join(client, server);
      join(server, client);
    });
  };

  const balancer = createServer({ pauseOnConnect: true }, (client) => {
    open.add(client);
    client.on('close', () => open.delete(client));
    client.on('error', () => client.destroy());
    turn += 1;
    const all = [...targets.values()];
    const first = turn % Math.max(1, all.length);
    pass(client, [...all.slice(first), ...all.slice(0, first)]);
  });
  await new Promise<void>((resolve, reject) => {
    balancer.once('error', reject).listen(port, host, resolve);
  });
  return {
    port: (balancer.address() as AddressInfo).port, // the server uses TCP
    use(name, url) {
      targets.set(name, new URL(url));
    },
    close() {
      balancer.close();
      for (const client of open) client.destroy();
    },
  };
}

function join(from: Socket, to: Socket): void {
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
  from.pipe(to);
  from.resume();
}
