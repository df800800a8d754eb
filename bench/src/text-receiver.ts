import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { now } from './time.ts';

/** Receives webhooks about texts, and responds immediately. */
export interface TextReceiver {
  readonly url: string;
  /** When the first webhook about each text arrived. */
  readonly arrivals: ReadonlyMap<string, number>;
  close(): void;
}

export async function startTextReceiver(): Promise<TextReceiver> {
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    const at = now();
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      const text = /"text":"([^"]*)"/.exec(body)?.[1];
      if (text !== undefined && !arrivals.has(text)) arrivals.set(text, at);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a server on a port
  return {
    url: `http://127.0.0.1:${port}/`,
    arrivals,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
