import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { verify } from '@trunkline/receiver';
import type { WebhookEvent } from '@trunkline/receiver';
import { afterAll } from 'vitest';

export interface Receiver {
  readonly url: string;
  secret: string;
  /** The verified events, each once, in the order of arrival. */
  readonly events: readonly WebhookEvent[];
  readonly forged: () => number;
}

const closings: (() => void)[] = [];

afterAll(() => {
  for (const close of closings) close();
});

export async function startReceiver(): Promise<Receiver> {
  const events: WebhookEvent[] = [];
  let forged = 0;
  const server = createServer((request, response) => {
    const receive = async (): Promise<number> => {
      const body = await buffer(request);
      // A server whose clock is ahead signs with that clock's time.
      const tolerance = 7 * 24 * 60 * 60;
      const result = await verify({ secret: receiver.secret, headers: request.headers, body, tolerance });
      if (!result.ok) {
        forged += 1;
        return 401;
      }
      if (!events.some(({ id }) => id === result.event.id)) events.push(result.event);
      return 204;
    };
    receive().then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    secret: '',
    events,
    forged: () => forged,
  };
  return receiver;
}
