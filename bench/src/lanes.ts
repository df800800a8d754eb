/**
 * Deliveries claimed and completed per second on PostgreSQL: with nothing else open, and with BACKLOG open ones, half of
 * them at one endpoint of ENDPOINTS; beside job queues that have nothing else to do. JOBS and ROUNDS are the other sizes.
 */
import { judge, plain, printMachine, printTable, ratio, size, spread } from './figures.ts';
import { drainGraphileWorker, drainPgBoss } from './lanes/job-queues.ts';
import { openLanes } from './lanes/open-lanes.ts';
import { providePostgres } from './postgres.ts';
import { inRounds } from './rounds.ts';

const BACKLOG = size('BACKLOG', 2_000_000);
const ENDPOINTS = size('ENDPOINTS', 5_000);
const JOBS = size('JOBS', 40_000);
const ROUNDS = size('ROUNDS', 3);

const postgres = await providePostgres();
const empty = await openLanes(ENDPOINTS);
const behind = await openLanes(ENDPOINTS);
await behind.queue(BACKLOG / 2, () => 0);
await behind.queue(BACKLOG / 2, (index) => index);

const VARIANTS = {
  'lanes, nothing else open': async () => {
    await empty.queue(JOBS, (index) => index);
    return empty.drain(JOBS);
  },
  'lanes, with the backlog': () => behind.drain(JOBS),
  'graphile-worker': () => drainGraphileWorker(JOBS),
  'pg-boss': () => drainPgBoss(JOBS),
} satisfies Record<string, () => Promise<number>>;
type Variant = keyof typeof VARIANTS;
const NAMES = Object.keys(VARIANTS) as Variant[]; // its own keys

const rates = await inRounds(NAMES, ROUNDS, (variant) => VARIANTS[variant]());
await Promise.all([empty.remove(), behind.remove()]);
await postgres.stop();

printMachine();
printTable(
  `${plain(JOBS)} claimed and completed, ${plain(BACKLOG)} open at ${plain(ENDPOINTS)} endpoints, ${ROUNDS} rounds`,
  ['', 'per second', 'of graphile-worker'],
  NAMES.map((variant) => [
    variant,
    spread(rates[variant]),
    plain(ratio(rates[variant], rates['graphile-worker']), 2),
  ]),
);
console.log();
judge(
  'lanes with the backlog, of graphile-worker',
  ratio(rates['lanes, with the backlog'], rates['graphile-worker']),
  {
    atLeast: 1,
  },
);
judge(
  'lanes with the backlog, of lanes with nothing else open',
  ratio(rates['lanes, with the backlog'], rates['lanes, nothing else open']),
  { atLeast: 1 / 1.3 },
);
