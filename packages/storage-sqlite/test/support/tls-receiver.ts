import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';
import { verify } from '@trunkline/receiver';

/** A receiver of webhooks on TLS in the test's own process, so that it outlives every process that is killed. */
export interface TlsReceiver {
  /** The certificate authority to trust, as PEM. */
  readonly ca: string;
  /** The URL of the endpoint at a path. Each path is a different endpoint. */
  url(path: string): string;
  /** Sets the secret of the endpoint at a path; earlier requests are refused. */
  learnSecret(path: string, secret: string): void;
  /** Every request that was verified, in the order of arrival. */
  readonly requests: readonly ReceivedRequest[];
  readonly refused: readonly string[];
  /** The maximum number of requests that one endpoint had to serve concurrently. */
  readonly mostAtOnce: () => number;
  /** Resolves when no client is connected, so that everything that the last client sent has been received. */
  deserted(): Promise<void>;
  /** From now on, leaves requests without a response, or with the beginning of a response; `null` responds again. */
  hold(how: 'silent' | 'half a response' | null): void;
  /** Leaves requests to this path without a response until the returned function is called. */
  pause(path: string): () => void;
}

export interface ReceivedRequest {
  readonly path: string;
  readonly deliveryId: string;
  readonly eventId: string;
  /** False for a request that was held. */
  readonly responded: boolean;
}

/** Clients whose clock is ahead sign with a time in the future. */
const TOLERANCE_SECONDS = 7 * 24 * 60 * 60;

export async function startTlsReceiver(): Promise<TlsReceiver> {
  const authority = await generate([{ name: 'commonName', value: 'Authority of the tests' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  });
  const leaf = await generate([{ name: 'commonName', value: 'Receiver of the tests' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: { key: authority.private, cert: authority.cert },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const secrets = new Map<string, string>();
  const requests: ReceivedRequest[] = [];
  const refused: string[] = [];
  const open = new Map<string, number>();
  let most = 0;
  const paused = new Map<string, Promise<void>>();
  let held: 'silent' | 'half a response' | null = null;

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    most = Math.max(most, count(open, path, 1));
    response.once('close', () => count(open, path, -1));
    const result = await verify({
      secret: secrets.get(path) ?? 'whsec_not_known_yet',
      headers: request.headers,
      body: await buffer(request),
      tolerance: TOLERANCE_SECONDS,
    });
    if (!result.ok) {
      refused.push(result.reason);
      response.writeHead(401).end();
      return;
    }
    const deliveryId = String(request.headers['x-service-delivery']);
    requests.push({ path, deliveryId, eventId: result.event.id, responded: held === null });
    await paused.get(path);
    if (held === null) response.writeHead(204).end();
    else if (held === 'half a response') response.socket?.write('HTTP/1.1 20');
  };

  const server = createServer({ key: leaf.private, cert: leaf.cert }, (request, response) => {
    // Rejects if a sender was killed in the middle of a request.
    receive(request, response).catch(() => response.destroy());
  });
  let connections = 0;
  let leaving = Promise.withResolvers<void>();
  server.on('connection', (socket) => {
    connections += 1;
    socket.once('close', () => {
      connections -= 1;
      leaving.resolve();
      leaving = Promise.withResolvers<void>();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    ca: authority.cert,
    url: (path) => `https://127.0.0.1:${port}${path}`,
    learnSecret: (path, secret) => void secrets.set(path, secret),
    requests,
    refused,
    mostAtOnce: () => most,
    async deserted() {
      while (connections > 0) await leaving.promise;
    },
    hold(how) {
      held = how;
    },
    pause(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      paused.set(path, promise);
      return () => {
        paused.delete(path);
        resolve();
      };
    },
  };
}

function count(counts: Map<string, number>, key: string, change: number): number {
  const next = (counts.get(key) ?? 0) + change;
  counts.set(key, next);
  return next;
}
