import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface HostileService {
  readonly url: string;
  /** Oldest first. */
  readonly requests: readonly SeenRequest[];
}

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  readonly authorization: string | undefined;
  readonly lastEventId: string | undefined;
  readonly body: string;
}

type Respond = (request: SeenRequest, response: ServerResponse) => void;

export async function startHostileService(
  respond: Respond,
  tls?: { readonly key: string; readonly cert: string },
): Promise<HostileService> {
  const requests: SeenRequest[] = [];
  const listener: RequestListener = (incoming, response) => {
    seen(incoming)
      .then((request) => {
        requests.push(request);
        respond(request, response);
      })
      .catch((error: unknown) => {
        response.destroy();
        throw error; // this fails the test
      });
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, requests };
}

async function seen(incoming: IncomingMessage): Promise<SeenRequest> {
  return {
    method: incoming.method ?? '',
    path: (incoming.url ?? '').replace(/\?.*$/, ''),
    query: /\?.*$/.exec(incoming.url ?? '')?.[0] ?? '',
    authorization: incoming.headers.authorization,
    lastEventId: incoming.headers['last-event-id']?.toString(),
    body: await text(incoming),
  };
}

export function respondJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
