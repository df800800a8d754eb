import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { verify } from '@trunkline/receiver';

/** A receiver that accepts some webhooks, refuses others, is slow with some and hangs up on the rest. */
export interface MoodyReceiver {
  /** `variant` makes another URL of the same endpoint. */
  url(endpoint: number, variant?: number): string;
  /** Sets the secret of an endpoint's signatures from now on. */
  learnSecret(endpoint: number, secret: string): void;
  readonly requests: readonly MoodyRequest[];
  /**
   * Returns how long ago the secret that signed the request had been replaced when the request arrived, in
   * milliseconds; 0 for the current secret.
   */
  secretOverFor(request: MoodyRequest): Promise<number>;
  /** The most requests that one endpoint served concurrently. */
  mostAtOnce(): number;
}

interface MoodyRequest {
  readonly endpoint: number;
  readonly deliveryId: string;
  /** Null if the receiver hung up. */
  readonly status: number | null;
  /** Whether the receiver hung up on a reused connection, so that the same attempt sends the request again. */
  readonly isRepeated: boolean;
  readonly at: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Uint8Array;
}

interface Secret {
  readonly secret: string;
  readonly since: number;
}

const MOODS = ['take', 'take', 'take', 'refuse', 'take slowly', 'hang up'] as const;
const SLOW_MS = 200;

/** `roll` draws a whole number from 0 up to, but not including, its argument. */
export async function startMoodyReceiver(roll: (below: number) => number): Promise<MoodyReceiver> {
  const secrets = new Map<number, readonly Secret[]>();
  const requests: MoodyRequest[] = [];
  const open = new Map<number, number>();
  const used = new WeakSet<Socket>();
  let most = 0;

  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const endpoint = Number(/^\/(\d+)\//.exec(request.url ?? '')?.[1]);
    const now = (open.get(endpoint) ?? 0) + 1;
    open.set(endpoint, now);
    most = Math.max(most, now);
    response.once('close', () => open.set(endpoint, (open.get(endpoint) ?? 0) - 1));
    const at = performance.now();
    const { headers } = request;
    const body = await buffer(request);
    const mood = MOODS[roll(MOODS.length)];
    const status = mood === 'hang up' ? null : mood === 'refuse' ? 500 : 204;
    const deliveryId = String(headers['x-service-delivery']);
    const isRepeated = status === null && used.has(request.socket);
    used.add(request.socket);
    requests.push({ endpoint, deliveryId, status, isRepeated, at, headers, body });
    if (mood === 'take slowly') await setTimeout(SLOW_MS);
    if (status === null) response.destroy();
    else response.writeHead(status).end();
  };

  const server = createServer((request, response) => {
    reply(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  return {
    url: (endpoint, variant = 0) => `http://127.0.0.1:${port}/${endpoint}/${variant}`,
    learnSecret(endpoint, secret) {
      secrets.set(endpoint, [...(secrets.get(endpoint) ?? []), { secret, since: performance.now() }]);
    },
    requests,
    async secretOverFor({ endpoint, at, headers, body }) {
      const all = secrets.get(endpoint) ?? [];
      for (const [index, { secret }] of all.entries())
        if ((await verify({ secret, headers, body })).ok)
          return Math.max(0, at - (all[index + 1]?.since ?? at));
      throw new Error(`${endpoint} never had the secret of this request.`);
    },
    mostAtOnce: () => most,
  };
}
