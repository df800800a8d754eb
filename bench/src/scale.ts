/**
 * Measures how long instances cannot send when a cluster starts, loses a process, gains one, or restarts process by
 * process, and the cost of each. Many instances in several processes on one PostgreSQL send messages and webhooks.
 * INSTANCES, PROCESSES, ENDPOINTS, PER_SECOND and SECONDS are the sizes.
 */
import { cpus, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { compare, percentile, plain, printMachine, printTable, size } from './figures.ts';
import type { Arrival } from './fairness/receiver.ts';
import { dropSchema, providePostgres } from './postgres.ts';
import { cpuOfChildren } from './scale/cpu.ts';
import { observe, OBSERVED_SETTINGS } from './scale/observer.ts';
import type { DatabaseLoad, SentTime } from './scale/observer.ts';
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
/** How long to wait for any step: a step that takes longer is broken. */
const PATIENCE_MS = 300_000;
/**
 * How long to wait for even shares. If the shares stay uneven, the run reports it and continues, because the figures do
 * not depend on them.
 */
const SHARING_MS = 60_000;
const MB = 1_048_576;
const TICK_MS = 100;

// The processes collect garbage before they report their heap.
process.env['CHILD_ARGS'] ??= '--expose-gc';
const postgres = await providePostgres(OBSERVED_SETTINGS);
const receiver = await startChild<string>(new URL('fairness/receiver.ts', import.meta.url));
const plan: ScalePlan = {
  directory: makeDirectory(),
  receiver: receiver.ready,
  // One endpoint in each workspace, so that each message causes one webhook.
  workspaces: ENDPOINTS,
  instances: INSTANCES,
  endpoints: ENDPOINTS,
};
const { instances } = await populate(plan);
const residents = new Map(instances.map((resident) => [resident.id, resident]));
const observer = await observe(plan.directory);
const events: string[][] = [];
const loads: [string, DatabaseLoad][] = [];

const startedAs: number[] = [];
const startProcess = async (): Promise<Child<number>> => {
  const child = await startChild<number>(new URL('scale/process.ts', import.meta.url), JSON.stringify(plan));
  startedAs.push(child.ready);
  return child;
};
const ask = <Reply>(child: Child<number>, question: Question): Promise<Reply> => child.ask(question);
let processes: Child<number>[] = [];

/** Resolves with the seconds until `isSo` resolved with true; null after `patienceMs`. */
async function waitFor(
  isSo: () => Promise<boolean>,
  { everyMs = 100, patienceMs = PATIENCE_MS } = {},
): Promise<number | null> {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > patienceMs) return null;
    await pause(everyMs);
  }
  return (performance.now() - began) / 1000;
}

async function until(what: string, isSo: () => Promise<boolean>, everyMs = 100): Promise<number> {
  const seconds = await waitFor(isSo, { everyMs });
  if (seconds === null) throw new Error(`${what} took more than ${PATIENCE_MS / 1000} s.`);
  return seconds;
}

/** Waits until each process has three quarters of its share: for a smaller difference, no connection is interrupted. */
async function noteSharing(what: string): Promise<void> {
  const shared = await waitFor(
    async () => {
      const shares = await observer.shares();
      return shares.length === PROCESSES && (shares.at(-1) ?? 0) >= (INSTANCES / PROCESSES) * 0.75;
    },
    { everyMs: 500, patienceMs: SHARING_MS },
  );
  const seconds = shared === null ? `more than ${SHARING_MS / 1000}` : plain(shared, 1);
  addRow(what, ['', '', seconds], `shares ${(await observer.shares()).join(' ')}`);
}

async function untilSent(messageIds: readonly string[]): Promise<readonly SentTime[]> {
  const sent: SentTime[] = [];
  const waiting = new Set(messageIds);
  await until('Sending the last message', async () => {
    for (const one of await observer.sentTimes([...waiting])) {
      sent.push(one);
      waiting.delete(one.id);
    }
    return waiting.size === 0;
  });
  return sent;
}

/**
 * Sends a message from each of these instances, through running processes. Resolves with the times at which they were
 * sent.
 */
async function sendFrom(
  senders: readonly Resident[],
  through: readonly Child<number>[],
): Promise<readonly number[]> {
  const ids = await Promise.all(
    through.map((child, part) => {
      const own = senders.filter((_resident, index) => index % through.length === part);
      return ask<readonly string[]>(child, { kind: 'send', residents: own });
    }),
  );
  return (await untilSent(ids.flat())).map(({ sentAt }) => sentAt);
}

async function heldBy(child: Child<number>): Promise<readonly Resident[]> {
  const ids = await observer.heldBy(child.ready);
  return ids.map((id) => residents.get(id)).filter((resident) => resident !== undefined);
}

function note(what: string, times: readonly number[], extra = ''): void {
  const seconds = (value: number): string => plain(value / 1000, 1);
  addRow(what, [percentile(times, 0.5), percentile(times, 0.99), Math.max(...times)].map(seconds), extra);
}

function addRow(what: string, times: readonly string[], extra: string): void {
  events.push([what, ...times, extra]);
  step(`${what}: ${times.filter((time) => time !== '').join(', ')} s ${extra}`);
}

function step(what: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${what}`);
}

/** Sends messages at a steady rate from varying instances, through the processes in turn. */
function startLoad(): { end(): Promise<readonly string[]> } {
  let going = true;
  const accepted: Promise<readonly string[]>[] = [];
  const ticks = (async () => {
    for (let tick = 0; going; tick += 1) {
      const tickEnds = pause(TICK_MS);
      const child = processes[tick % processes.length];
      const senders = Array.from(
        { length: Math.ceil((PER_SECOND * TICK_MS) / 1000) },
        (_, index) => instances[(tick * 997 + index * 31) % instances.length],
      ).filter((resident) => resident !== undefined);
      if (child) accepted.push(ask<readonly string[]>(child, { kind: 'send', residents: senders }));
      await tickEnds;
    }
  })();
  return {
    async end() {
      going = false;
      await ticks;
      return (await Promise.all(accepted)).flat();
    },
  };
}

async function underLoad<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const load = startLoad();
  const result = await work();
  const sent = await untilSent(await load.end());
  note(
    `${plain(sent.length)} messages ${what}`,
    sent.map(({ acceptedAt, sentAt }) => sentAt - acceptedAt),
  );
  messages += sent.length;
  return result;
}

let messages = 0;
const phases: (readonly string[])[] = [];
const statements: (readonly string[])[] = [];

/** Records the CPU seconds of a part of the run, and the statements that took the database the most time. */
async function phase<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  step(what);
  await observer.dearest(0);
  const startedAt = performance.now();
  const [cpuBefore, serverBefore] = [cpuOfAll(), observer.serverCpu()];
  const result = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const [own, server] = [cpuOfAll() - cpuBefore, observer.serverCpu() - serverBefore];
  const costs = [
    ...[seconds, own, server].map((value) => plain(value, 1)),
    plain((own + server) / seconds, 2),
    plain(loadavg()[0] ?? Number.NaN, 1),
  ];
  phases.push([what, ...costs]);
  step(`${what} took (as in the table of costs) ${costs.join(', ')}`);
  for (const { calls, totalMs, text } of await observer.dearest(6))
    statements.push([what, plain(calls), plain(totalMs), `\`${text}\``]);
  return result;
}

const cpuOfAll = (): number => cpuOfChildren(startedAs);

const memoryOfAll = (): Promise<readonly Usage[]> =>
  Promise.all(processes.map((child) => ask<Usage>(child, { kind: 'memory' })));
let bare: readonly Usage[] = [];
await phase('start', async () => {
  const began = Date.now();
  processes = await Promise.all(Array.from({ length: PROCESSES }, startProcess));
  bare = await memoryOfAll();
  await until(
    'Connecting every instance',
    async () => (await observer.connectedSince(began)) === INSTANCES,
    250,
  );
  note('all processes start', [Date.now() - began], `shares ${(await observer.shares()).join(' ')}`);
});
await phase('sharing', () => noteSharing('until each has its share'));
await pause(5_000); // the work after a start is not part of the steady state

await phase('idle', async () => {
  loads.push(['idle', await observer.load(SECONDS)]);
});
const memory = await memoryOfAll();

await phase('steady rate', () =>
  underLoad('at a steady rate', async () => {
    loads.push([`${PER_SECOND} messages a second`, await observer.load(SECONDS)]);
  }),
);

const [victim, ...survivors] = processes;
if (!victim) throw new Error('There is no process to kill.');
const orphans = await heldBy(victim);
processes = survivors;
/** For each instance of the killed process, the milliseconds from the release of the leases until it sent again. */
let released: readonly number[] = [];
const killOne = async (): Promise<void> => {
  const killedAt = Date.now();
  process.kill(victim.ready, 'SIGKILL');
  const proof = until('Releasing leases', async () => !(await observer.holdsAny(victim.ready)), 50);
  const sentAt = await sendFrom(orphans, survivors);
  const proofAt = killedAt + (await proof) * 1000;
  note(
    `the ${plain(orphans.length)} instances of a killed process`,
    sentAt.map((at) => at - killedAt),
    `leases released after ${plain((proofAt - killedAt) / 1000, 1)} s; shares ${(await observer.shares()).join(' ')}`,
  );
  released = sentAt.map((at) => at - proofAt);
};
await phase('a process is killed', () => underLoad('while a process is killed', killOne));

await phase('a process is added', () =>
  underLoad('while a process is added', async () => {
    const added = await startProcess();
    await noteSharing('a process is added: until it has three quarters of its share');
    processes = [...survivors, added];
  }),
);

const stopped: number[] = [];
const restartEach = async (): Promise<void> => {
  for (const [index, child] of [...processes].entries()) {
    const own = await heldBy(child);
    processes = processes.filter((other) => other !== child);
    await ask<Usage>(child, { kind: 'memory' }); // the process responds to earlier questions first
    const stoppedAt = Date.now();
    const ended = child.stop();
    stopped.push(...(await sendFrom(own, processes)).map((at) => at - stoppedAt));
    await ended;
    processes = processes.toSpliced(index, 0, await startProcess());
  }
};
await phase('each is restarted', () => underLoad('while each is restarted in turn', restartEach));
note('the instances of each restarted process', stopped);

step('webhooks');
let arrived = 0;
await until('The arrival of every webhook', async () => {
  arrived += (await receiver.ask<readonly Arrival[]>('log')).length;
  return arrived >= messages;
});

step('stop');
await Promise.all(processes.map((child) => child.stop()));
await receiver.stop();
await observer.close();
await dropSchema(plan.directory);
removeDirectory(plan.directory);
await postgres.stop();

printMachine();
printTable(
  `${plain(INSTANCES)} instances over ${PROCESSES} processes, ${plain(ENDPOINTS)} endpoints: seconds until a message is sent`,
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
  `CPU seconds on ${cpus().length} cores: of the processes, without this program and its receiver of webhooks, and of PostgreSQL`,
  ['', 'seconds', 'processes', 'PostgreSQL', 'cores', 'load of the machine'],
  phases,
);
printTable('The dearest statements', ['', 'calls', 'ms', 'text'], statements);
const total = (usages: readonly Usage[], figure: keyof Usage): number =>
  usages.reduce((sum, usage) => sum + usage[figure], 0);
const resident = total(memory, 'resident') / MB / PROCESSES;
const heap = (total(memory, 'heap') - total(bare, 'heap')) / 1024 / INSTANCES;
console.log(
  `\nIdle, resident memory ${plain(resident)} MB a process; what an instance adds to the heap ${plain(heap, 1)} KB\n`,
);
const [, idle] = loads[0] ?? [];
compare('idle statements a second and process', [(idle?.statements ?? 0) / PROCESSES], { atMost: 10 });
compare(
  'longest until an instance sends after the leases of its process were released, seconds',
  [Math.max(...released) / 1000],
  {
    atMost: 5,
  },
);
