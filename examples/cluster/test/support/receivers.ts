import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { verify } from '@trunkline/receiver';
import type { Choices } from './choices.ts';

/** A request as its receiver saw it; times are epoch milliseconds. */
export interface Arrival {
  readonly receiver: string;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly type: string;
  readonly messageId: string;
  readonly text: string | null;
  readonly startedAt: number;
  /** When the response was sent or the connection ended; null until then. */
  endedAt: number | null;
  taken: boolean;
}

export interface Receiver {
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  secret: string;
  readonly arrivals: readonly Arrival[];
  /** The reasons of refused requests, such as a wrong signature. */
  readonly refused: readonly string[];
  close(): void;
}

export interface Behaviour {
  readonly events: readonly string[];
  readonly delayMs?: readonly [number, number];
  /** The probability that the first attempt of a delivery fails, with an error or a closed connection. */
  readonly failing?: number;
}

/** Runs in the test's own process, and records the requests about messages. */
export async function startReceiver(
  name: string,
  { events, delayMs = [0, 0], failing = 0 }: Behaviour,
  random: Choices,
): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const refused: string[] = [];
  const seen = new Set<string>();

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const startedAt = Date.now();
    const { headers } = request;
    // The service signs with its own time, which runs faster.
    const result = await verify({
      secret: receiver.secret,
      headers,
      body: await buffer(request),
      tolerance: 86_400,
    });
    if (!result.ok) {
      refused.push(result.reason);
      return void response.writeHead(401).end();
    }
    const { id: eventId, type, data } = result.event;
    if (!('message' in data)) return void response.writeHead(204).end();
    const deliveryId = String(headers['x-service-delivery']);
    const arrival: Arrival = {
      receiver: name,
      deliveryId,
      eventId,
      type,
      messageId: data.message.id,
      text: data.message.text,
      startedAt,
      endedAt: null,
      taken: false,
    };
    arrivals.push(arrival);
    const end = (): void => void (arrival.endedAt ??= Date.now());
    response.on('finish', end);
    response.on('close', end);
    const isFirst = !seen.has(deliveryId);
    seen.add(deliveryId);
    const fails = isFirst && random.chance(failing);
    const hangsUp = random.chance(0.5);
    await setTimeout(random.between(...delayMs));
    if (fails && hangsUp) return void response.destroy();
    if (fails) return void response.writeHead(500).end();
    response.on('finish', () => (arrival.taken = true));
    response.writeHead(204).end();
  };

  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // the server uses TCP
  const receiver: Receiver = {
    name,
    url: `http://127.0.0.1:${port}/${name}`,
    events,
    secret: 'whsec_not_known_yet',
    arrivals,
    refused,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
