import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

export async function listening(server: Pick<Server, 'listening' | 'address' | 'once'>): Promise<string> {
  if (!server.listening) await once(server as Server, 'listening'); // each such server is an EventEmitter
  const { port } = server.address() as AddressInfo; // the server uses TCP
  return `http://127.0.0.1:${port}`;
}
