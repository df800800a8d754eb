import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { NetworkRecord } from '@trunkline/core/sandbox';
import { verify } from '@trunkline/receiver';
import { startPostgres } from '@trunkline/test-postgres/server';
import { HANG_MS, until } from '@trunkline/test-support';
import { builtProgram } from '@trunkline/test-support/built-program';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import { openSandboxJournal } from '../src/networks/sandbox-journal.ts';
import type { Accepted, Place } from './support/programs/loaded-service.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/**
 * Kills come under light load, under full load, at a start, and so on. If the variable KILLS is set, the outcome is
 * printed.
 */
const KILLS = sized('KILLS', { short: 2, long: 6 });
const PROGRAM = pathToFileURL(
  await builtProgram(new URL('support/programs/loaded-service.ts', import.meta.url)),
);
/**
 * A kill comes within this time after the service is ready or, under full load, after every number sends as many
 * messages at the same time as it may. The third service, and one in five of the later ones under light load, are
 * killed while they start.
 */
const KILLED_WITHIN_MS = 400;
const KILLED_AT_START_WITHIN_MS = 600;

describe.concurrent('a service that is killed at random moments, half of them under full load', () => {
  it.for(isLongForm ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const))(
    `loses no message, reaction, edit or deletion, keeps idempotency keys and the order of each chat, sends nothing twice, scheduled or not, and nothing that was cancelled, on %s (${KILLS} times)`,
    { timeout: 600_000 + KILLS * 30_000 },
    async (storage, context) => {
      const random = randomInTest(context);
      const atEnd = context.onTestFinished;
      const directory = temporaryDirectory();
      const postgres = storage === 'PostgreSQL' ? await startPostgres() : null;
      atEnd(async () => postgres?.stop());
      const database = postgres?.url ?? join(directory, 'trunkline.db');
      const network = join(directory, 'sandbox.db');
      const receiver = await startReceiver();
      atEnd(receiver.close);
      const acceptedBefore = join(directory, 'accepted.json');
      const start = (run: number, work: string): Service => {
        const places = JSON.stringify(receiver.places);
        return startService([database, network, receiver.url, String(run), work, places, acceptedBefore]);
      };

      const first = start(0, 'set up');
      receiver.places = JSON.parse(await first.line(/^\[.*$/m)) as readonly Place[]; // the service prints its places
      await first.ended;

      const accepted = new Map<string, Accepted>();
      const cancelled = new Set<string>();
      const sending: number[] = [];
      const began = performance.now();
      for (let run = 1; run <= KILLS; run += 1) {
        const isLoaded = run % 2 === 0;
        const service = start(run, isLoaded ? 'full load' : 'light load');
        const isStarting = run === 3 || (run > 3 && !isLoaded && random(5) === 0);
        if (!isStarting) await service.line(isLoaded ? /^sending \d+$/m : /^ready$/m);
        // The first service lives long enough to accept something, however slow the machine is.
        if (run === 1) await until('a message is accepted', () => service.accepted().size > 0);
        await setTimeout(random(isStarting ? KILLED_AT_START_WITHIN_MS : KILLED_WITHIN_MS));
        await service.kill();
        for (const [text, one] of service.accepted()) accepted.set(text, one);
        for (const text of service.cancelled()) cancelled.add(text);
        if (isLoaded) sending.push(service.sending());
      }

      const seconds = (performance.now() - began) / 1_000;
      writeFileSync(acceptedBefore, JSON.stringify([...accepted.values()]));
      const last = start(KILLS + 1, 'rest');
      expect(await last.line(/^repeated \d+$/m)).toBe(`repeated ${accepted.size}`);
      expect(last.forgotten()).toEqual([]);
      // A cancellation whose response was lost in a kill counts, too.
      const isCancelled = new Set(last.cancelled());
      expect([...cancelled].filter((text) => !isCancelled.has(text))).toEqual([]);
      await last.line(/^all read$/m);
      expect(last.unchanged()).toEqual([]);
      // Each endpoint's rate limit delays many webhooks, so this checks only that webhooks keep arriving.
      const unreported = (): readonly string[] =>
        [...accepted.values()].flatMap(({ id, text }) =>
          receiver.reported.has(id) || isCancelled.has(text) ? [] : [id],
        );
      for (let left = unreported().length; left > 0; left = unreported().length)
        await until(
          `the webhooks of ${left} more messages come`,
          () => unreported().length < left,
          2 * HANG_MS,
        );
      expect(last.accepted().size).toBe(0);
      last.go();
      await last.ended;

      const carried = recordsOf(network);
      const sent = carried.filter((record) => record.kind === 'accepted');
      expect(accepted.size).toBeGreaterThan(0);
      const byNetworkId = new Map(sent.map((record) => [record.networkId, record.text]));
      /** The text before any edit. */
      const textOf = (record: CarriedOut): string =>
        (record.kind === 'acted' ? (byNetworkId.get(record.about) ?? '') : record.text).split('~')[0] ?? '';
      expect(sent.map(textOf).toSorted()).toEqual([...new Set(sent.map(textOf))].toSorted());
      for (const chat of Map.groupBy(carried, ({ instanceId, to }) => `${instanceId} ${to}`).values()) {
        // An action comes right behind its message.
        const places = chat.map(
          (record) => placeInOrder(textOf(record)) + (record.kind === 'acted' ? 0.5 : 0),
        );
        expect(places).toEqual(places.toSorted((a, b) => a - b));
      }
      const texts = new Set(sent.map(textOf));
      expect([...accepted.keys()].filter((text) => texts.has(text) === isCancelled.has(text))).toEqual([]);
      const actions = carried.filter((record) => record.kind === 'acted');
      const actedOn = actions.map(textOf);
      expect(actedOn.toSorted()).toEqual([...new Set(actedOn)].toSorted());
      const editedBefore = sent.filter(({ text }) => text.includes('~')).map(textOf);
      // A message that was edited before it was sent shows no edit.
      const effects = new Set([
        ...actions.map((record) => `${record.deed.kind} ${textOf(record)}`),
        ...editedBefore.map((text) => `edit ${text}`),
      ]);
      expect(effects.size).toBe(actions.length + editedBefore.length);
      const acted = [...accepted.values()].flatMap(({ text, action }) =>
        action ? [{ text, ...action }] : [],
      );
      expect(new Set(acted.map(({ kind }) => kind)).size).toBe(3);
      expect(acted.filter(({ kind, text }) => !effects.has(`${kind} ${text}`))).toEqual([]);
      // However often a webhook was sent, its event id and delivery id stayed the same.
      expect(receiver.underSeveralIds()).toEqual([]);
      expect(receiver.refused).toEqual([]);
      expect(receiver.mostAtOnce()).toBeLessThanOrEqual(2);
      if (process.env['KILLS'] !== undefined)
        console.info(
          `${storage}, ${KILLS} kills, ${(seconds / KILLS).toFixed(1)} s each, ${sending.length} of them while ` +
            `${Math.min(...sending)} to ${Math.max(...sending)} messages were being sent (in the median ` +
            `${sending.toSorted((a, b) => a - b)[sending.length >> 1]}): ${accepted.size} messages accepted, ` +
            `${isCancelled.size} cancelled, ${sent.length} sent; ${acted.length} actions accepted, ` +
            `${actions.length} carried out and ${editedBefore.length} messages edited before; ${receiver.requests.length} requests for ${receiver.reported.size} webhooks`,
        );
    },
  );
});

interface Service {
  /** The accepted messages that the service printed, by their text. */
  accepted(): ReadonlyMap<string, Accepted>;
  /** The texts of the messages that the service printed as cancelled. */
  cancelled(): readonly string[];
  /** The messages that the service printed as not changed by their action. */
  unchanged(): readonly string[];
  /** How many messages and actions were being sent, as printed last. */
  sending(): number;
  /** The idempotency keys that the service printed as lost. */
  forgotten(): readonly string[];
  /** Resolves with the first printed line that matches. Rejects if the service ends first. */
  line(pattern: RegExp): Promise<string>;
  go(): void;
  kill(): Promise<void>;
  /** Resolves when the service has ended; rejects if it failed. */
  readonly ended: Promise<void>;
}

function startService(args: readonly string[]): Service {
  const program = startNodeProgram(PROGRAM, { args });
  return {
    // The last line of a killed process may be incomplete.
    accepted() {
      const actions = new Map(
        Array.from(
          program.stdout().matchAll(/^acted (\w+) (\S+) (act_\w{26})$/gm),
          ([, kind = '', text = '', id = '']) => [text, { id, kind }],
        ),
      );
      return new Map(
        Array.from(
          program.stdout().matchAll(/^accepted (\d+) (\S+) (msg_\w{26})$/gm),
          ([, place, text = '', id = '']) => [
            text,
            { place: Number(place), text, id, action: actions.get(text) ?? null },
          ],
        ),
      );
    },
    cancelled: () => Array.from(program.stdout().matchAll(/^cancelled (\S+)$/gm), ([, text = '']) => text),
    sending: () => Number([...program.stdout().matchAll(/^sending (\d+)$/gm)].at(-1)?.[1]),
    forgotten: () => Array.from(program.stdout().matchAll(/^forgotten (\S+)$/gm), ([, text = '']) => text),
    unchanged: () => Array.from(program.stdout().matchAll(/^unchanged (\S+)$/gm), ([, text = '']) => text),
    line: async (pattern) => (await program.printed(pattern, 10 * HANG_MS))[0],
    go: () => program.endInput(),
    kill: () => program.kill(),
    ended: program.ended.then((end) => {
      if (end !== 0 && end !== 'SIGKILL') throw new Error(`The service failed: ${program.stderr()}`);
    }),
  };
}

interface Arrival {
  readonly messageId: string;
  readonly eventId: string;
  readonly deliveryId: string;
}

interface Receiver {
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

async function startReceiver(): Promise<Receiver> {
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
  const receiver: Receiver = {
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

/** The run and the count in a text, which grow with each message to a recipient. */
function placeInOrder(text: string): number {
  const [name = ''] = text.split('@');
  const parts = name.split('-').map(Number);
  return 1_000_000 * (parts[0] ?? 0) + (parts.at(-1) ?? 0);
}

type CarriedOut = Extract<NetworkRecord, { kind: 'accepted' | 'acted' }>;

/** The messages and actions that the network accepted, in this order. */
function recordsOf(path: string): readonly CarriedOut[] {
  const journal = openSandboxJournal(path);
  const records = [...(journal?.load() ?? [])].filter(
    (record) => record.kind === 'accepted' || record.kind === 'acted',
  );
  journal?.close();
  return records;
}
