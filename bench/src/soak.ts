/**
 * Whether the service keeps memory or files that it should release. It runs for SOAK_MINUTES on SOAK_STORAGE (`sqlite`
 * or `postgres`) at a steady rate of SOAK_PER_SECOND texts each way over SOAK_INSTANCES instances. Files, streams,
 * lists, abandoned uploads, and instances that are created and deleted add to the load. Each minute, the traffic rests
 * until nothing is in flight, so that the minutes can be compared. Prints a line for each, so that an interrupted run
 * has figures too.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { text as textOf } from 'node:stream/consumers';
import { createClient, unwrap } from '@trunkline/http/client';
import { startChild } from './child.ts';
import { compare, plain, printMachine, printTable, size } from './figures.ts';
import { dropSchema, providePostgres } from './postgres.ts';
import { createLedger } from './soak/ledger.ts';
import type { SoakFacts, SoakPlan, SoakResources } from './soak/plan.ts';
import {
  abandonUpload,
  createAccount,
  followEvents,
  readLists,
  replaceInstance,
  reportEvent,
  sendFile,
  sendText,
} from './soak/traffic.ts';
import type { Account } from './soak/traffic.ts';
import { STORAGES } from './storages.ts';
import type { StorageName } from './storages.ts';
import { makeDirectory, removeDirectory } from './temporary-directory.ts';

process.env['CHILD_ARGS'] ??= '--expose-gc';

const MINUTES = size('SOAK_MINUTES', 60);
const PER_SECOND = size('SOAK_PER_SECOND', 20);
const INSTANCES = size('SOAK_INSTANCES', 20);
const storage = (process.env['SOAK_STORAGE'] ?? 'sqlite') as StorageName; // checked below
if (!(storage in STORAGES))
  throw new Error(`SOAK_STORAGE must be one of ${Object.keys(STORAGES).join(', ')}.`);

const MINUTE_MS = 60_000;
const MB = 1_048_576;
/** How long an account's stream of events stays open at most. */
const STREAM_MS = 20_000;
/** How long to wait for the work in flight and its reports before each measurement. */
const SETTLES_WITHIN_MS = 10_000;
/** Longer than either side keeps an idle connection open, so that these do not count as kept. */
const CLOSES_WITHIN_MS = 7_000;
/** How long the reports that are still due at the end may take. */
const PATIENCE_MS = 120_000;

interface Sample extends SoakResources {
  readonly minute: number;
  /** Of one core, since the previous sample. */
  readonly cpuPercent: number;
}

const postgres = storage === 'postgres' ? await providePostgres() : null;
const directory = makeDirectory();
const ledger = createLedger();
const receiver = createServer((request, response) => {
  void textOf(request).then((body) => {
    reportEvent(ledger, 'webhook', body);
    response.writeHead(204).end();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const { port } = receiver.address() as AddressInfo; // the receiver listens on TCP
const plan: SoakPlan = { directory, storage, workspaces: INSTANCES };
const child = await startChild<SoakFacts>(new URL('soak/server.ts', import.meta.url), JSON.stringify(plan));
const { baseUrl, apiKeys } = child.ready;
const accounts = await Promise.all(
  apiKeys.map((apiKey) => createAccount({ baseUrl, apiKey }, `http://127.0.0.1:${port}`)),
);

const ending = new AbortController();
/** Ends the streams that are open, so that they do not count as kept. */
let measuring = new AbortController();
/** Resolves when traffic may go on after a measurement. */
let measured: Promise<unknown> = Promise.resolve();
const inFlight = new Set<Promise<void>>();
const failures: string[] = [];
let number = 0;
const text = (what: string): string => `${what} ${(number += 1)}`;
const traffic = [
  every(1_000 / PER_SECOND, (account) => sendText(account, ledger, text('text'))),
  every(5_000, (account) => sendFile(account, ledger, text('file'))),
  every(5_000, abandonUpload),
  every(5_000, replaceInstance),
  every(2_000, readLists),
  ...accounts.map((account, index) => streamAgain(account, index)),
];

printMachine();
console.log(
  `${storage}: ${plain(PER_SECOND)} texts each way a second over ${plain(INSTANCES)} instances, for ${plain(MINUTES)} minutes`,
);
const samples: Sample[] = [];
const began = performance.now();
let before = await child.ask<SoakResources>('resources');
let measuredAt = performance.now();
for (let minute = 1; minute <= MINUTES; minute += 1) {
  await pause(began + minute * MINUTE_MS - performance.now());
  const now = await measureAtRest();
  const seconds = (performance.now() - measuredAt) / 1_000;
  const sample: Sample = {
    ...now,
    minute,
    cpuPercent: ((now.cpuSeconds - before.cpuSeconds) / seconds) * 100,
  };
  before = now;
  measuredAt = performance.now();
  samples.push(sample);
  const [, heap, rss, descriptors, handles, cpu] = cells(sample);
  console.log(
    `minute ${minute}: heap ${heap} MB, resident ${rss} MB, ${descriptors} descriptors, ${handles} handles, ` +
      `${cpu} % of a core, ${plain(ledger.counts.accepted)} accepted, ${plain(ledger.open().length)} with reports due`,
  );
}

ending.abort();
await Promise.all(traffic);
await Promise.all(inFlight);
const waitsUntil = performance.now() + PATIENCE_MS;
while (ledger.open().length > 0 && performance.now() < waitsUntil)
  await Promise.all(accounts.map((account) => followEvents(account, ledger, AbortSignal.timeout(1_000))));
const left = ledger.open();
const statuses = await Promise.all(left.map(statusOf));
const lost = statuses.filter((status) => status !== 'read' && status !== 'failed').length;

await child.stop();
receiver.closeAllConnections();
receiver.close();
if (postgres) await dropSchema(directory);
await postgres?.stop();
removeDirectory(directory);

printTable(
  `${storage}, ${plain(MINUTES)} minutes`,
  ['minute', 'heap MB', 'resident MB', 'descriptors', 'handles', 'percent of a core'],
  samples.map(cells),
);
console.log();
const steady = samples.slice(Math.floor(samples.length / 3));
const [first = before, last = before] = [steady[0], steady.at(-1)];
const { accepted, refused } = ledger.counts;
console.log(
  `${plain(accepted)} messages accepted, ${plain(refused)} refused; descriptors ${first.descriptors} first, ${last.descriptors} last`,
);
for (const failure of new Set(failures)) console.log(`failed: ${failure}`);
if (steady.length > 1) compare('growth of the heap, MB an hour', [slope(steady)], { atMost: 1 });
compare('descriptors, last less first', [last.descriptors - first.descriptors], { atMost: 10 });
compare('messages lost', [lost], { atMost: 0 });
compare('events missing', [left.reduce((sum, { due }) => sum + due.size, 0)], { atMost: 0 });
compare('requests failed', [refused + failures.length], { atMost: 0 });

/** Measures while nothing is going on, because the memory of work in flight differs from minute to minute. */
async function measureAtRest(): Promise<SoakResources> {
  const measurement = Promise.withResolvers<void>();
  measured = measurement.promise;
  measuring.abort();
  const settlesUntil = performance.now() + SETTLES_WITHIN_MS;
  // The next streams bring the reports that these streams have not.
  const isBusy = (): boolean =>
    inFlight.size > 0 || ledger.open().some(({ due }) => [...due].some((what) => what.startsWith('webhook')));
  while (isBusy() && performance.now() < settlesUntil) await pause(100);
  await pause(CLOSES_WITHIN_MS);
  const resources = await child.ask<SoakResources>('resources');
  measuring = new AbortController();
  measurement.resolve();
  return resources;
}

/** Does the work with one account after another, each time without waiting for the previous one, until the end. */
async function every(ms: number, work: (account: Account) => Promise<void>): Promise<void> {
  for (let round = 0; await isGoingOn(ms); round += 1) {
    const account = accounts[round % accounts.length];
    if (account) void track(work(account));
  }
}

/** Opens a stream after another, each for a different time, with pauses in between. */
async function streamAgain(account: Account, index: number): Promise<void> {
  for (let round = index; await isGoingOn(500); round += 1) {
    const leaving = AbortSignal.any([
      measuring.signal,
      ending.signal,
      AbortSignal.timeout(1_000 + ((round * 7_919) % STREAM_MS)),
    ]);
    await track(followEvents(account, ledger, leaving));
  }
}

/** Counts the work as in flight, and notes its failure. */
function track(work: Promise<void>): Promise<void> {
  const tracked: Promise<void> = work
    .catch((error: unknown) => void failures.push(String(error)))
    .finally(() => inFlight.delete(tracked));
  inFlight.add(tracked);
  return tracked;
}

/** Waits, and then for the end of a measurement, and returns whether the run goes on. */
async function isGoingOn(ms: number): Promise<boolean> {
  await pause(ms, undefined, { signal: ending.signal }).catch(() => {}); // the end of the run
  await measured;
  return !ending.signal.aborted;
}

async function statusOf({ apiKey, id }: { readonly apiKey: string; readonly id?: string }): Promise<string> {
  if (id === undefined) return 'not accepted';
  return unwrap(await createClient({ baseUrl, apiKey }).messages.get(id)).data.status;
}

function cells({ minute, heapUsed, rss, descriptors, handles, cpuPercent }: Sample): string[] {
  return [
    plain(minute),
    plain(heapUsed / MB, 2),
    plain(rss / MB),
    plain(descriptors),
    plain(handles),
    plain(cpuPercent, 1),
  ];
}

/** The slope of the least-squares line through the heap's size, in MB an hour. */
function slope(points: readonly Sample[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const hours = points.map(({ minute }) => minute / 60);
  const heaps = points.map(({ heapUsed }) => heapUsed / MB);
  const [hour, heap] = [mean(hours), mean(heaps)];
  const covariance = mean(hours.map((at, index) => (at - hour) * ((heaps[index] ?? 0) - heap)));
  return covariance / mean(hours.map((at) => (at - hour) ** 2));
}
