/**
 * The cost of a change: accepted messages, webhooks and lanes per second, compared with those of another checkout in
 * the same run. BEFORE is the folder of the other checkout, with its packages installed. ROUNDS, SECONDS, CONNECTIONS,
 * WEBHOOKS, HOSTS, JOBS, BACKLOG and ENDPOINTS are the sizes. A machine's load keeps changing, so many short rounds
 * show more than a few long ones.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { measureAcceptance, ONE } from './accept/variants.ts';
import { issueFor } from './certificates.ts';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { compare, printMachine, printTable, ratios, size, spread } from './figures.ts';
import type { LanesQuestion } from './lanes/lanes-of-checkout.ts';
import { providePostgres } from './postgres.ts';
import { inRounds } from './rounds.ts';
import { DOMAIN } from './webhooks/plan.ts';
import type { Plan, SendFigures } from './webhooks/plan.ts';

const BEFORE = process.env['BEFORE'];
if (BEFORE === undefined) throw new Error('BEFORE must be the folder of another checkout.');
const there = (path: string): URL => pathToFileURL(join(BEFORE, 'bench/src', path));

const ROUNDS = size('ROUNDS', 14);
const AT_LEAST = 0.97;
type Checkout = 'before' | 'now';
const CHECKOUTS: readonly Checkout[] = ['before', 'now'];

/** Prints the rates of both checkouts, and the ratio with its aim. */
function report(title: string, rates: Readonly<Record<Checkout, readonly number[]>>): void {
  printMachine();
  printTable(
    `${title}, ${ROUNDS} rounds`,
    ['', 'per second', 'of before'],
    CHECKOUTS.map((name) => [name, spread(rates[name]), spread(ratios(rates[name], rates.before), 2)]),
  );
  console.log();
  compare(`${title}, of before`, ratios(rates.now, rates.before), { atLeast: AT_LEAST });
}

// Measure each storage separately, so that each checkout is first in half of the rounds.
for (const service of ['SQLite, trunkline', 'PostgreSQL, trunkline'] as const) {
  const compareRates = await measureAcceptance(
    { before: { service, ...ONE, program: there('accept/server.ts') }, [service]: { service, ...ONE } },
    { name: 'before', called: 'before' },
  );
  compareRates(service, 'before', AT_LEAST);
}

const postgres = await providePostgres();

const { ca, cert, key } = await issueFor(DOMAIN);
const receiver = await startChild<number>(new URL('webhooks/receiver.ts', import.meta.url), cert, key);
const plan: Plan = {
  port: receiver.ready,
  ca,
  hosts: size('HOSTS', 400),
  webhooks: size('WEBHOOKS', 10_000),
};
const SENDER = 'webhooks/sender.ts';
for (const variant of ['trunkline, SQLite', 'trunkline, PostgreSQL']) {
  const results = await inRounds(CHECKOUTS, ROUNDS, async (checkout) => {
    const program = checkout === 'before' ? there(SENDER) : new URL(SENDER, import.meta.url);
    const sender = await startChild(program, variant);
    const { perSecond } = await sender.ask<SendFigures>(plan);
    await sender.stop();
    return perSecond;
  });
  report(`webhooks, ${variant}`, results);
}
await receiver.stop();

const JOBS = size('JOBS', 10_000);
const ENDPOINTS = size('ENDPOINTS', 5_000);
const BACKLOG = size('BACKLOG', 200_000);
const openLanesOf = (openLanes: URL): Promise<Child<null>> =>
  startChild(new URL('lanes/lanes-of-checkout.ts', import.meta.url), openLanes.href, String(ENDPOINTS));
const lanes = {
  before: await openLanesOf(there('lanes/open-lanes.ts')),
  now: await openLanesOf(new URL('lanes/open-lanes.ts', import.meta.url)),
};
const drained = (queue: boolean): Promise<Record<Checkout, number[]>> =>
  inRounds(CHECKOUTS, ROUNDS, (checkout) =>
    lanes[checkout].ask<number>({ queue, drain: JOBS } satisfies LanesQuestion),
  );
report('lanes, nothing else open', await drained(true));
for (const checkout of CHECKOUTS) await lanes[checkout].ask({ fill: BACKLOG } satisfies LanesQuestion);
report('lanes, with a backlog', await drained(false));
for (const checkout of CHECKOUTS) await lanes[checkout].stop();
await postgres.stop();
