/**
 * Many instances over several processes on one PostgreSQL, with messages between them and webhooks: how long a start, the
 * death of a process, one more process and a rolling restart keep instances from sending, and what each costs.
 * INSTANCES, PROCESSES, ENDPOINTS, PER_SECOND and SECONDS are its sizes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { compare, percentile, plain, printMachine, printTable, size } from './figures.ts';
import type { Arrival } from './fairness/receiver.ts';
import { dropSchema, providePostgres } from './postgres.ts';
import { observe, OBSERVED_SETTINGS } from './scale/observer.ts';
import type { DatabaseLoad } from './scale/observer.ts';
import { populate } from './scale/population.ts';
import type { Resident } from './scale/population.ts';
import type { ScalePlan } from './scale/plan.ts';
import type { Question, Usage } from './scale/process.ts';
import { makeDirectory, removeDirectory } from './temporary-directory.ts';

const INSTANCES = size('INSTANCES', 10_000);
const PROCESSES = size('PROCESSES', 8);
const ENDPOINTS = size('ENDPOINTS', 2_000);
const PER_SECOND = size('PER_SECOND', 200);
const SECONDS = size('SECONDS', 30);
const WORKSPACES = Math.max(1, ENDPOINTS / 5);
/** After this nothing more is waited for: what takes longer is what broke. */
const PATIENCE_MS = 300_000;
const MB = 1_048_576;

const postgres = await providePostgres(OBSERVED_SETTINGS);
const receiver = await startChild<string>(new URL('fairness/receiver.ts', import.meta.url));
const plan: ScalePlan = {
  directory: makeDirectory(),
  receiver: receiver.ready,
  workspaces: WORKSPACES,
  instances: INSTANCES,
  endpoints: ENDPOINTS,
};
const { instances } = await populate(plan);
const observer = await observe(plan.directory);
const events: string[][] = [];
const loads: [string, DatabaseLoad][] = [];

const startProcess = (): Promise<Child<number>> =>
  startChild<number>(new URL('scale/process.ts', import.meta.url), JSON.stringify(plan));
const ask = <Answer>(child: Child<number>, question: Question): Promise<Answer> => child.ask(question);
let processes: Child<number>[] = [];

/** Resolves with the seconds that it took. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > PATIENCE_MS)
      throw new Error(`${what} took more than ${PATIENCE_MS / 1000} s.`);
    await pause(100);
  }
  return (performance.now() - began) / 1000;
}

/** Three quarters of it: for a smaller difference no connection is interrupted. */
async function hasEachItsShare(): Promise<boolean> {
  const shares = await observer.shares();
  return shares.length === PROCESSES && (shares.at(-1) ?? 0) >= (INSTANCES / PROCESSES) * 0.75;
}

/** Has every instance send a message now, through a process that lives, and answers how long each took, in milliseconds. */
async function sendFromAll(through: readonly Child<number>[]): Promise<readonly number[]> {
  const parts = through.map((_, part) =>
    instances.filter((_resident, index) => index % through.length === part),
  );
  const began = Date.now();
  const ids = (await Promise.all(through.map((child, part) => sendSlowly(child, parts[part] ?? [])))).flat();
  await until('Sending from every instance', async () =>
    (await observer.sentTimes(ids)).every(({ sentAt }) => sentAt !== null),
  );
  return (await observer.sentTimes(ids)).map(({ sentAt }) => (sentAt ?? 0) - began);
}

/** In batches: the answers of one process come one by one. */
async function sendSlowly(child: Child<number>, residents: readonly Resident[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let first = 0; first < residents.length; first += 250) {
    ids.push(
      ...(await ask<readonly string[]>(child, {
        kind: 'send',
        residents: residents.slice(first, first + 250),
      })),
    );
  }
  return ids;
}

function note(what: string, times: readonly number[], extra = ''): void {
  const seconds = (value: number): string => plain(value / 1000, 1);
  events.push([
    what,
    seconds(percentile(times, 0.5)),
    seconds(percentile(times, 0.99)),
    seconds(Math.max(...times)),
    extra,
  ]);
}

// Start
const startedAt = performance.now();
processes = await Promise.all(Array.from({ length: PROCESSES }, startProcess));
await until('Connecting every instance', async () => (await observer.connected()) === INSTANCES);
const connectedAfter = (performance.now() - startedAt) / 1000;
note('all processes start', [connectedAfter * 1000], `shares ${(await observer.shares()).join(' ')}`);
const balancedAfter = await until('Sharing all instances', hasEachItsShare);
note('until each has its share', [balancedAfter * 1000], `shares ${(await observer.shares()).join(' ')}`);
await pause(5_000); // what a start leaves behind is no steady state
await observer.dearest(0);

// Idle
loads.push(['idle', await observer.load(SECONDS)]);
const idleStatements = await observer.dearest(6);

// Steady state
await receiver.ask<readonly Arrival[]>('log');
let sending = true;
const accepted: string[] = [];
const load = (async () => {
  for (let tick = 0; sending; tick += 1) {
    const child = processes[tick % processes.length];
    const residents = Array.from(
      { length: Math.ceil(PER_SECOND / 10) },
      (_, index) => instances[(tick * 997 + index * 31) % instances.length],
    ).filter((resident) => resident !== undefined);
    const tickEnds = pause(100);
    if (child) accepted.push(...(await ask<readonly string[]>(child, { kind: 'send', residents })));
    await tickEnds;
  }
})();
const cpuBefore = await cpuOf(processes);
loads.push([`${PER_SECOND} messages a second`, await observer.load(SECONDS)]);
const cpuUsed = (await cpuOf(processes)) - cpuBefore;
sending = false;
await load;
await until('Sending the last message', async () =>
  (await observer.sentTimes(accepted)).every(({ sentAt }) => sentAt !== null),
);
const steady = (await observer.sentTimes(accepted)).map(
  ({ acceptedAt, sentAt }) => (sentAt ?? 0) - acceptedAt,
);
note(`${plain(accepted.length)} messages at a steady rate`, steady);
const busyStatements = await observer.dearest(10);
const expected = accepted.length * (ENDPOINTS / WORKSPACES);
let arrived = 0;
await until('The arrival of every webhook', async () => {
  arrived += (await receiver.ask<readonly Arrival[]>('log')).length;
  return arrived >= expected;
});
const memory = await Promise.all(processes.map((child) => ask<Usage>(child, { kind: 'memory' })));
const resident = memory.reduce((sum, usage) => sum + usage.resident, 0);

// A process is killed
const [victim, ...survivors] = processes;
if (!victim) throw new Error('There is no process to kill.');
process.kill(victim.ready, 'SIGKILL');
note('a process is killed', await sendFromAll(survivors), `shares ${(await observer.shares()).join(' ')}`);

// A process is added
const added = await startProcess();
processes = [...survivors, added];
const joining = await sendFromAll(processes);
const sharedAfter = await until('Sharing with a new process', hasEachItsShare);
note('a process is added', joining, `has three quarters of its share after ${plain(sharedAfter, 1)} s`);

// Each is restarted, one after the other
const restarts: number[] = [];
for (const [index, child] of processes.entries()) {
  await child.stop();
  processes[index] = await startProcess();
  restarts.push(...(await sendFromAll(processes)));
}
note('a rolling restart', restarts);

await Promise.all(processes.map((child) => child.stop()));
await receiver.stop();
await observer.close();
await dropSchema(plan.directory);
removeDirectory(plan.directory);
await postgres.stop();

printMachine();
printTable(
  `${plain(INSTANCES)} instances over ${PROCESSES} processes, ${plain(ENDPOINTS)} endpoints: seconds until an instance sends`,
  ['', 'median', 'p99', 'longest', ''],
  events,
);
printTable(
  'What it asks of PostgreSQL in a second',
  ['', 'statements', 'commits', 'notifications', 'KB of WAL'],
  loads.map(([what, { statements, commits, notifications, wal }]) => [
    what,
    ...[statements, commits, notifications, wal].map((value) => plain(value)),
  ]),
);
printTable(
  'The dearest statements',
  ['', 'calls a second', 'ms a second', 'text'],
  [
    ...idleStatements.map((statement) => ['idle', ...statementRow(statement)]),
    ...busyStatements.map((statement) => ['busy', ...statementRow(statement)]),
  ],
);
console.log(
  `\nResident memory ${plain(resident / MB)} MB, ${plain(resident / INSTANCES / 1024, 1)} KB an instance; ${plain(cpuUsed / SECONDS, 2)} cores for ${PER_SECOND} messages a second\n`,
);
const [, idle] = loads[0] ?? [];
compare('idle statements a second and process', [(idle?.statements ?? 0) / PROCESSES], { atMost: 10 });
compare('longest wait at a steady rate, seconds', [Math.max(...steady) / 1000], { atMost: 5 });

function statementRow({ calls, totalMs, text }: { calls: number; totalMs: number; text: string }): string[] {
  return [plain(calls / SECONDS, 1), plain(totalMs / SECONDS, 1), `\`${text}\``];
}

async function cpuOf(children: readonly Child<number>[]): Promise<number> {
  const usages = await Promise.all(children.map((child) => ask<Usage>(child, { kind: 'memory' })));
  return usages.reduce((sum, { cpu }) => sum + cpu, 0);
}
