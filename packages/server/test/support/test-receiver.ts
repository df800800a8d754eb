import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { verify } from '@trunkline/receiver';
import type { WebhookEvent } from '@trunkline/receiver';

/** Runs in the test's own process, and so outlives every killed server. */
export interface TestReceiver {
  readonly url: string;
  /** Set this as soon as the secret is known, because earlier requests are refused. */
  secret: string;
  /** Every request that was verified, with or without a response. */
  readonly requests: readonly ReceivedRequest[];
  /** Why requests were refused. */
  readonly refused: readonly string[];
  /** Leaves requests of this type without a response from now on; null responds to all. */
  hold(type: string | null): void;
  /** Responds to held requests. */
  release(): void;
}

export interface ReceivedRequest {
  readonly deliveryId: string;
  readonly event: WebhookEvent;
  readonly responded: boolean;
}

const servers: (() => void)[] = [];

afterAll(() => {
  for (const close of servers) close();
});

export async function startReceiver(): Promise<TestReceiver> {
  const requests: ReceivedRequest[] = [];
  const refused: string[] = [];
  const waiting = new Set<ServerResponse>();
  let held: string | null = null;

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Servers sign with their own clock, which may be ahead.
    const result = await verify({
      secret: receiver.secret,
      headers: request.headers,
      body: await buffer(request),
      tolerance: 7 * 24 * 60 * 60,
    });
    if (!result.ok) {
      refused.push(result.reason);
      response.writeHead(401).end();
      return;
    }
    const { event } = result;
    const responded = event.type !== held;
    requests.push({ deliveryId: String(request.headers['x-service-delivery']), event, responded });
    if (responded) response.writeHead(204).end();
    else waiting.add(response);
  };

  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  const receiver: TestReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    secret: 'whsec_not_known_yet',
    requests,
    refused,
    hold(type) {
      held = type;
    },
    release() {
      held = null;
      for (const response of waiting) response.writeHead(204).end();
      waiting.clear();
    },
  };
  return receiver;
}
