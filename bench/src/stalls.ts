/**
 * The longest tasks of the event loop under load, on each storage. One load is bursts of BURST (500) texts over INSTANCES
 * (20) instances, with webhooks, receipts and the filing of chats. The others are pages of every list, and the deletion
 * of everything that is too old. Each takes SECONDS (10).
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient, unwrap } from '@trunkline/http/client';
import type { TrunklineClient } from '@trunkline/http/client';
import { startChild } from './child.ts';
import { compare, plain, printMachine, printTable, size } from './figures.ts';
import { dropSchema, providePostgres } from './postgres.ts';
import type { StallsFacts, StallsPlan } from './stalls/server.ts';
import type { Task } from './stalls/tasks.ts';
import { STORAGES } from './storages.ts';
import type { StorageName } from './storages.ts';
import { makeDirectory, removeDirectory } from './temporary-directory.ts';

const BURST = size('BURST', 500);
const INSTANCES = size('INSTANCES', 20);
const SECONDS = size('SECONDS', 10);
const READERS = 20;
const PAGE = 100;
const LATER_MS = 100 * 24 * 60 * 60_000;
const AT_MOST_MS = 20;

const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(204).end();
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const { port } = receiver.address() as AddressInfo; // the receiver listens on TCP
const postgres = await providePostgres();
printMachine();
for (const storage of Object.keys(STORAGES) as StorageName[]) await measure(storage); // the keys are the names
receiver.closeAllConnections();
receiver.close();
await postgres.stop();

async function measure(storage: StorageName): Promise<void> {
  const directory = makeDirectory();
  const rows: (readonly string[])[] = [];
  const report = (what: string, tasks: readonly Task[]): void => {
    for (const { cpuMs, ms, of } of tasks) rows.push([what, plain(cpuMs, 1), plain(ms, 1), of]);
    compare(`${storage}, ${what}: longest task, ms of CPU`, [tasks[0]?.cpuMs ?? Number.NaN], {
      atMost: AT_MOST_MS,
    });
  };
  const start = async (aheadMs: number): ReturnType<typeof startChild<StallsFacts>> => {
    const plan: StallsPlan = { storage, directory, aheadMs };
    return startChild<StallsFacts>(new URL('stalls/server.ts', import.meta.url), JSON.stringify(plan));
  };
  const child = await start(0);
  const client = createClient(child.ready);
  unwrap(await client.webhooks.create({ url: `http://127.0.0.1:${port}`, events: ['message.sent'] }));
  const instances = await Promise.all(Array.from({ length: INSTANCES }, () => connected(client)));
  await sendBurst(client, instances);
  await child.ask('the start does not count');
  for (const until = performance.now() + SECONDS * 1_000; performance.now() < until;)
    await sendBurst(client, instances);
  report('bursts', await child.ask<readonly Task[]>('bursts'));
  for (const until = performance.now() + SECONDS * 1_000; performance.now() < until;)
    await Promise.all(Array.from({ length: READERS }, (_, index) => readLists(client, instances, index)));
  report('lists', await child.ask<readonly Task[]>('lists'));
  await child.stop();

  const later = await start(LATER_MS);
  await later.ask('the start does not count');
  await pause(SECONDS * 1_000);
  report('deletion', await later.ask<readonly Task[]>('deletion'));
  await later.stop();
  if (storage === 'postgres') await dropSchema(directory);
  removeDirectory(directory);
  printTable(storage, ['', 'CPU ms', 'ms', 'of it'], rows);
}

async function connected(client: TrunklineClient): Promise<string> {
  const { id } = unwrap(await client.instances.create()).data;
  unwrap(await client.instances.connect(id));
  while (unwrap(await client.instances.get(id)).data.status !== 'connected') await pause(20);
  return id;
}

async function sendBurst(client: TrunklineClient, instances: readonly string[]): Promise<void> {
  await Promise.all(
    Array.from({ length: BURST }, async (_, index) => {
      const instance = instances[index % instances.length] ?? '';
      const to = `1555012${String(index).padStart(4, '0')}`;
      unwrap(await client.messages.send({ instance, to, type: 'text', text: `text ${index}`.repeat(20) }));
    }),
  );
}

async function readLists(
  client: TrunklineClient,
  instances: readonly string[],
  index: number,
): Promise<void> {
  const instance = instances[index % instances.length] ?? '';
  const first = unwrap(await client.messages.list({ limit: PAGE }));
  if (first.nextCursor !== null)
    unwrap(await client.messages.list({ limit: PAGE, cursor: first.nextCursor }));
  unwrap(await client.messages.list({ limit: PAGE, instance }));
  unwrap(await client.instances.list());
  unwrap(await client.instances.chats(instance, { limit: PAGE }));
  unwrap(await client.instances.history(instance, { limit: PAGE }));
  const { data: webhooks } = unwrap(await client.webhooks.list());
  if (webhooks[0]) unwrap(await client.webhooks.deliveries(webhooks[0].id, { limit: PAGE }));
}
