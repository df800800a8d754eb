/**
 * Whether WhatsApp numbers lose, double or reorder anything while the network is hostile. HOSTILE_NUMBERS numbers write
 * and are written to for HOSTILE_MINUTES, alone and in groups, while connections are dropped, messages are refused, lost
 * and asked for again, and texts are edited. A quarter through, and again at three quarters, the server is killed;
 * halfway, the network takes only a new version of its client. Everything is in a ledger, which is compared at the end
 * with the phones, the API and the webhooks. HOSTILE_STORAGE is `sqlite` or `postgres`. Exits 1 if anything is wrong.
 */
import { cpSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { spawnFakeWhatsApp } from '@trunkline/fake-whatsapp';
import { createClient } from '@trunkline/http/client';
import type { TrunklineClient } from '@trunkline/http/client';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { compare, percentile, plain, printMachine, size } from './figures.ts';
import { dropSchema, providePostgres } from './postgres.ts';
import { STORAGES } from './storages.ts';
import type { StorageName } from './storages.ts';
import { makeDirectory, removeDirectory } from './temporary-directory.ts';
import { problemsOf } from './whatsapp-hostile/ledger.ts';
import {
  confirm,
  hear,
  outcomeOf,
  pendingOf,
  sendTexts,
  startNumber,
  writeTexts,
} from './whatsapp-hostile/number.ts';
import type { HostileNumber } from './whatsapp-hostile/number.ts';
import type { HostileFacts, HostilePlan } from './whatsapp-hostile/server.ts';

const NUMBERS = size('HOSTILE_NUMBERS', 50);
const MINUTES = size('HOSTILE_MINUTES', 60);
/** The average time between two texts of a number in each direction. */
const EVERY_MS = size('HOSTILE_EVERY_MS', 10_000);
/** The time between two disturbances, of one number each. */
const DISTURB_MS = size('HOSTILE_DISTURB_MS', 1_000);
const storage = (process.env['HOSTILE_STORAGE'] ?? 'sqlite') as StorageName; // checked below
if (!(storage in STORAGES))
  throw new Error(`HOSTILE_STORAGE must be one of ${Object.keys(STORAGES).join(', ')}.`);

const LINKED_AT_ONCE = 10;
/** Longer than a lease: a server that starts this much later finds the leases of a killed one expired. */
const LATER_MS = 61_000;
/** How long held messages and webhooks may take after the traffic has ended. */
const PATIENCE_MS = size('HOSTILE_PATIENCE_MS', 600_000);

const postgres = storage === 'postgres' ? await providePostgres() : null;
const directory = makeDirectory();
const wa = await spawnFakeWhatsApp();
const numbers: HostileNumber[] = [];
const receiver = createServer((request, response) => {
  const place = Number(request.url?.slice(1));
  void textOf(request).then(async (body) => {
    response.writeHead(204).end();
    const number = numbers[place];
    if (number) await hear(wa, number, body).catch(fail);
  });
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const { port } = receiver.address() as AddressInfo; // the receiver listens on TCP

const failures: string[] = [];
/** The numbers that were in `error`, and why. */
const errors = new Set<string>();
/** How often the network was disturbed in each way. */
const disturbances = new Map<string, number>();
type Disturbance = readonly [name: string, cause: (number: HostileNumber) => Promise<unknown>];
let starts = 0;
let server: Child<HostileFacts> = await start(NUMBERS);
const { apiKeys } = server.ready;
const clients: TrunklineClient[] = [];
connectClients();
let isOver = false;
let isAtEnd = false;

printMachine();
const waiting = Array.from({ length: NUMBERS }, (_, place) => place).entries();
const linking = async (): Promise<void> => {
  for (const [, place] of waiting) {
    const url = `http://127.0.0.1:${port}/${place}`;
    numbers[place] = await startNumber({ wa, place, api: () => clientOf(place), receiver: url });
  }
};
await Promise.all(Array.from({ length: LINKED_AT_ONCE }, linking));
console.log(`${storage}: ${NUMBERS} numbers are linked; ${plain(MINUTES)} minutes of traffic begin`);

const traffic = numbers.flatMap((number) => {
  const pace = { everyMs: EVERY_MS, isOver: () => isOver };
  return [sendTexts(wa, number, pace), writeTexts(wa, number, pace)];
});
void confirmAll().catch((error: unknown) => isAtEnd || fail(error));
const watching = watchStatuses();
const disturbing = disturb();
const began = performance.now();
const restarts: number[] = [];
await untilShare(0.25);
await kill();
await untilShare(0.5);
await expireVersion();
await untilShare(0.75);
await kill();
await untilShare(1);
isOver = true;
await Promise.all([...traffic, disturbing]);

const givesUpAt = performance.now() + PATIENCE_MS;
for (const number of numbers) {
  const pending = (): Promise<string | null> => pendingOf(number).catch((error: unknown) => String(error));
  for (let left = await pending(); left !== null; left = await pending()) {
    if (performance.now() > givesUpAt) {
      failures.push(`failed: ${number.account.name} still waits for ${left}`);
      break;
    }
    await pause(1_000);
  }
}
await pause(5_000); // for repetitions, which should not come
isAtEnd = true;
await watching;

const problems = [...failures];
for (const number of numbers) problems.push(...problemsOf(number.ledger, await outcomeOf(wa, number)));
const inError = [...errors];
report();

await server.stop();
receiver.closeAllConnections();
receiver.close();
if (process.env['HOSTILE_LOG'] !== undefined) cpSync(join(directory, 'log.txt'), process.env['HOSTILE_LOG']);
await wa.stop().catch((error: unknown) => {
  console.log(String(error));
  problems.push(`the client did wrong: ${String(error)}`);
});
if (postgres) await dropSchema(directory);
await postgres?.stop();
removeDirectory(directory);
process.exit(problems.length + inError.length > 0 ? 1 : 0);

function fail(error: unknown): void {
  failures.push(`failed: ${error instanceof Error ? error.message : String(error)}`);
}

function start(workspaces: number): Promise<Child<HostileFacts>> {
  const aheadMs = starts * LATER_MS;
  starts += 1;
  const plan: HostilePlan = { directory, storage, whatsapp: wa.client, workspaces, aheadMs };
  return startChild<HostileFacts>(
    new URL('whatsapp-hostile/server.ts', import.meta.url),
    JSON.stringify(plan),
  );
}

/** Clients of the current server process. */
function connectClients(): void {
  const { baseUrl } = server.ready;
  for (const [place, apiKey] of apiKeys.entries()) clients[place] = createClient({ baseUrl, apiKey });
}

function clientOf(place: number): TrunklineClient {
  const client = clients[place];
  if (!client) throw new Error(`There is no workspace ${place}.`);
  return client;
}

async function untilShare(share: number): Promise<void> {
  await pause(Math.max(0, began + share * MINUTES * 60_000 - performance.now()));
}

async function kill(): Promise<void> {
  await server.kill();
  const killedAt = performance.now();
  server = await start(0);
  connectClients();
  while (!(await allConnected())) await pause(200);
  restarts.push(performance.now() - killedAt);
}

/** Asks the network: the stored status may be from before the kill. */
async function allConnected(): Promise<boolean> {
  for (const { account } of numbers) {
    const [device] = await wa.linkedDevices(account);
    if (device?.connected !== true) return false;
  }
  return true;
}

/** The network takes only a new version from now on, and ends all connections. */
async function expireVersion(): Promise<void> {
  await wa.releaseVersion();
  await wa.expireVersions();
  for (const { account } of numbers) await wa.drop(account).catch(() => {}); // connecting again already
}

async function confirmAll(): Promise<void> {
  const places = new Map(numbers.map((number) => [number.account.phoneNumber, number]));
  for (;;) {
    const message = await wa.nextMessage();
    const number = places.get(message.from);
    if (number) await confirm(wa, number, message);
  }
}

/** Notes each number that the API reports in `error`. */
async function watchStatuses(): Promise<void> {
  while (!isAtEnd) {
    for (const [place, client] of clients.entries()) {
      const listed = await client.instances.list().catch(() => null); // the server is dead
      for (const { status, last_error: error } of listed?.ok ? listed.data : [])
        if (status === 'error') errors.add(`${place} was in error: ${error}`);
    }
    await pause(1_000);
  }
}

async function disturb(): Promise<void> {
  const ways: readonly Disturbance[] = [
    ['dropped connections', ({ account }) => wa.drop(account)],
    ['messages refused with 429', ({ account }) => wa.refuseNextMessage(account, 429)],
    ['messages lost', ({ account }) => wa.loseNextMessage(account)],
    ['connections ended with 503', ({ account }) => wa.streamError(account, { code: 503 })],
    ['queries for devices refused with 429', () => wa.refuseQueries('usync/get/usync', 429)],
    ['messages refused with 503', ({ account }) => wa.refuseNextMessage(account, 503)],
    ['phones with new keys', async ({ people }) => people[0] && wa.reinstall(people[0])],
    ['queries for keys refused with 429', () => wa.refuseQueries('encrypt/get/key', 429)],
    ['connections ended with 515', ({ account }) => wa.streamError(account, { code: 515 })],
    [
      'phones with new keys, without a notice',
      async ({ people }) => people[1] && wa.reinstall(people[1], { isNotified: false }),
    ],
    ['half-open connections', ({ account }) => wa.freeze(account)],
    ['newly linked devices', async ({ people }) => people[2] && wa.linkDevice(people[2])],
  ];
  for (const [name] of ways) disturbances.set(name, 0);
  for (let turn = 0; !isOver; turn += 1) {
    const place = turn % numbers.length;
    const number = numbers[place];
    // Another way in each round, so that each number meets all of them.
    const way = ways[(place + Math.floor(turn / numbers.length)) % ways.length];
    if (number && way) {
      const [name, cause] = way;
      await cause(number).then(
        () => disturbances.set(name, (disturbances.get(name) ?? 0) + 1),
        () => {}, // the number is connecting again
      );
    }
    await pause(DISTURB_MS);
  }
}

function report(): void {
  const ledgers = numbers.map(({ ledger }) => ledger);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const outs = ledgers.flatMap((ledger) => ledger.out);
  const ins = ledgers.flatMap((ledger) => ledger.in);
  const counts = (what: keyof HostileNumber['counts']): string =>
    plain(sum(numbers.map((number) => number.counts[what])));
  console.log(
    `${storage}, ${plain(NUMBERS)} numbers, ${plain(MINUTES)} minutes: ${plain(outs.length)} texts out, ${plain(ins.length)} in; ${counts('strangers')} to strangers, ${counts('retries')} asked for again, ` +
      `${counts('damaged')} damaged, ${counts('edits')} edited`,
  );
  const caused = [...disturbances].map(([name, count]) => `${plain(count)} ${name}`);
  console.log(`${caused.join(', ')}; 2 kills of the server, 1 expired version`);
  const outMs = ledgers.flatMap(({ out, shown }) =>
    out.map(({ text, acceptedAt }) => (shown.get(text)?.[0]?.at ?? Infinity) - acceptedAt),
  );
  const seconds = (values: readonly number[], share: number): string =>
    plain(percentile(values, share) / 1_000, 2);
  console.log(
    `from the API to the network: ${seconds(outMs, 0.5)} s at the median, ${seconds(outMs, 0.99)} s at p99, ${seconds(outMs, 1)} s at most`,
  );
  console.log(`online again after a kill: ${restarts.map((ms) => `${plain(ms / 1_000, 1)} s`).join(', ')}`);
  for (const problem of [...problems.slice(0, 50), ...inError]) console.log(problem);
  const found = (kind: string): number => problems.filter((problem) => problem.startsWith(kind)).length;
  for (const kind of ['lost', 'doubled', 'reordered', 'failed']) compare(kind, [found(kind)], { atMost: 0 });
  compare('numbers in error', [inError.length], { atMost: 0 });
}
