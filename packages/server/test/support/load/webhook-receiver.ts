import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { verify } from '@trunkline/receiver';
import type { Place } from '../programs/loaded-service.ts';

interface Arrival {
  readonly messageId: string;
  readonly eventId: string;
  readonly deliveryId: string;
}

/** Receives the webhooks of all places. */
export interface WebhookReceiver {
  readonly url: string;
  places: readonly Place[];
  readonly requests: readonly Arrival[];
  readonly refused: readonly string[];
  /** Messages whose webhook was accepted. */
  readonly reported: ReadonlySet<string>;
  /** Messages whose webhooks came under more than one id. */
  underSeveralIds(): readonly string[];
  mostAtOnce(): number;
  close(): void;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const requests: Arrival[] = [];
  const refused: string[] = [];
  const reported = new Set<string>();
  const open = new Map<string, number>();
  let most = 0;
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const count = (open.get(path) ?? 0) + 1;
    open.set(path, count);
    most = Math.max(most, count);
    response.once('close', () => open.set(path, (open.get(path) ?? 1) - 1));
    const secret = receiver.places[Number(path.slice(1))]?.secret ?? 'unknown';
    const body = await buffer(request);
    const result = await verify({ secret, headers: request.headers, body, tolerance: 86_400 });
    if (!result.ok) {
      refused.push(result.reason);
      response.writeHead(401).end();
      return;
    }
    const { data, id: eventId } = result.event;
    if (!('message' in data)) throw new Error(`No endpoint subscribed to ${result.event.type}.`);
    const deliveryId = String(request.headers['x-service-delivery']);
    requests.push({ messageId: data.message.id, eventId, deliveryId });
    if (response.destroyed) return;
    reported.add(data.message.id);
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy()); // the sender was killed
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}`,
    places: [],
    requests,
    refused,
    reported,
    underSeveralIds() {
      const ids = new Map<string, string>();
      return requests.flatMap(({ messageId, eventId, deliveryId }) => {
        const both = `${eventId} ${deliveryId}`;
        const first = ids.get(messageId) ?? both;
        ids.set(messageId, first);
        return first === both ? [] : [messageId];
      });
    },
    mostAtOnce: () => most,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
