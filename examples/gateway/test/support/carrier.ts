import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { GroupReport, MediaType } from '@trunkline/core/spi/gateway';
import type { SentToNetwork, TestPhone } from '@trunkline/gateway-contract';
import type { CarrierEvent } from '../../src/protocol.ts';

export const PEOPLE = { reader: '15550142', refused: '15550003' };
const PHONE_NUMBER = '15550199';

/** A carrier on loopback, with one phone. */
export async function startCarrier(): Promise<{
  readonly url: string;
  readonly phone: TestPhone;
  stop(): Promise<void>;
}> {
  /** Devices by their tokens. A refused device is known, but not admitted. */
  const devices = new Map<string, { isRefused: boolean }>();
  const links = new Map<string, ServerResponse>();
  const groups = new Map<string, GroupReport>();
  const files = new Map<string, Uint8Array>();
  const waiting = new Map<string, CarrierEvent>();
  const sent = new Map<string, SentToNetwork>();
  let stream: ServerResponse | null = null;

  const write = (response: ServerResponse | null, event: CarrierEvent): void =>
    void response?.write(`${JSON.stringify(event)}\n`);
  const queue = (event: Extract<CarrierEvent, { id: string }>): void => {
    waiting.set(event.id, event);
    write(stream, event);
  };
  const reportGroups = (): void =>
    write(stream, { type: 'groups', groups: [...groups.values()], full: true });
  const connect = (response: ServerResponse): void => {
    stream = response;
    const heartbeat = setInterval(() => response.write('\n'), 10_000);
    response.once('close', () => clearInterval(heartbeat));
    const profile = { phoneNumber: PHONE_NUMBER, profileName: 'Acme', profilePictureUrl: null };
    write(stream, { type: 'ready', profile });
    reportGroups();
    for (const event of waiting.values()) write(stream, event);
  };
  const end = (last?: CarrierEvent): void => {
    if (last) write(stream, last);
    stream?.end();
    stream = null;
  };
  const link = async (code: string): Promise<void> => {
    const response = links.get(code);
    if (!response) throw new Error(`There is no code ${code}.`);
    const token = randomUUID();
    devices.set(token, { isRefused: false });
    write(response, { type: 'linked', token });
    connect(response);
  };

  const routes = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://carrier');
    const [, resource, id = '', reply] = pathname.split('/');
    const token = request.headers.authorization?.replace('Bearer ', '');
    const device = token === undefined ? undefined : devices.get(token);
    if (token !== undefined && device?.isRefused !== false) {
      response.writeHead(device ? 403 : 401).end();
    } else if (resource === 'events' && reply === 'taken') {
      waiting.delete(id);
      response.end();
    } else if (resource === 'events' && reply === 'refused') {
      const event = waiting.get(id);
      setTimeout(() => event && waiting.has(id) && write(stream, event), 50);
      response.end();
    } else if (resource === 'events' && device) {
      connect(response);
    } else if (resource === 'events') {
      const pairingNumber = searchParams.get('pairingNumber');
      const [code, typed] = [randomUUID(), 'ABCD1234'];
      links.set(code, response).set(typed, response);
      const pairing = pairingNumber ? { pairingCode: typed } : {};
      write(response, { type: 'qr', code, expiresAt: Date.now() + 60_000, ...pairing });
    } else if (resource === 'messages') {
      await take(id, searchParams, await buffer(request), response);
    } else if (resource === 'files') {
      response.writeHead(files.has(id) ? 200 : 404).end(files.get(id));
    } else if (resource === 'device' && token !== undefined) {
      devices.delete(token);
      response.end();
    } else response.writeHead(404).end();
  };

  const take = async (
    networkId: string,
    query: URLSearchParams,
    body: Uint8Array,
    response: ServerResponse,
  ): Promise<void> => {
    const { to = '', type = '', mimeType = '', caption = '' } = Object.fromEntries(query);
    if (to === PEOPLE.refused) {
      const error = { code: 'not_on_network', message: 'This number does not exist.' };
      return void response.writeHead(422).end(JSON.stringify(error));
    }
    response.writeHead(202).end();
    if (sent.has(networkId)) return;
    const place = { networkId, to };
    if (type === 'text') sent.set(networkId, { ...place, text: new TextDecoder().decode(body), file: null });
    else {
      const file = { type: type as MediaType, mimeType, size: body.length }; // set by the gateway
      sent.set(networkId, { ...place, text: caption, file });
    }
    for (const status of ['delivered', 'read'] as const)
      queue({ type: 'receipt', id: randomUUID(), networkId, status });
  };

  const server = createServer((request, response) => {
    routes(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // the server uses TCP

  const phone: TestPhone = {
    phoneNumber: PHONE_NUMBER,
    scan: link,
    enterCode: link,
    async receive({ from, text, file, groupNetworkId: group = null }) {
      const [id, networkId] = [randomUUID(), randomUUID()];
      if (file) files.set(id, file.content);
      queue({ type: 'message', id, networkId, from, group, text, file: file ? { ...file, id } : null });
      return networkId;
    },
    async addGroup(name) {
      const group = { networkId: randomUUID(), name, participantsCount: 3 };
      groups.set(group.networkId, group);
      write(stream, { type: 'groups', groups: [group], full: false });
      return group.networkId;
    },
    async leaveGroup(networkId) {
      groups.delete(networkId);
      reportGroups();
    },
    drop: async () => end(),
    async unlink() {
      devices.clear();
      end({ type: 'unlinked' });
    },
    async fail() {
      for (const device of devices.values()) device.isRefused = true;
      end();
    },
    accepted: () => [...sent.values()],
  };
  return {
    url: `http://127.0.0.1:${port}`,
    phone,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
