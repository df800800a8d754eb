/**
 * Deliveries claimed and completed per second on PostgreSQL, without other open deliveries and with BACKLOG others,
 * half of them at one of ENDPOINTS endpoints. Compared with empty job queues. JOBS and ROUNDS are the other sizes.
 */
import { compare, plain, printMachine, printTable, ratios, size, spread } from './figures.ts';
import { drainGraphileWorker, drainPgBoss } from './lanes/job-queues.ts';
import { openLanes } from './lanes/open-lanes.ts';
import { providePostgres } from './postgres.ts';
import { inRounds } from './rounds.ts';

const BACKLOG = size('BACKLOG', 2_000_000);
const ENDPOINTS = size('ENDPOINTS', 5_000);
const JOBS = size('JOBS', 40_000);
const ROUNDS = size('ROUNDS', 5);

const postgres = await providePostgres();
const empty = await openLanes(ENDPOINTS);
const behind = await openLanes(ENDPOINTS);
await behind.fill(BACKLOG);

const VARIANTS = {
  'lanes, nothing else open': async () => {
    await empty.queue(JOBS, (index) => index);
    return empty.drain(JOBS);
  },
  'lanes, with the backlog': () => behind.drain(JOBS),
  'the same, claims and outcomes apart': () => behind.drain(JOBS, 'apart'),
  'graphile-worker': () => drainGraphileWorker(JOBS),
  'pg-boss': () => drainPgBoss(JOBS),
} satisfies Record<string, () => Promise<number>>;
type Variant = keyof typeof VARIANTS;
const NAMES = Object.keys(VARIANTS) as Variant[]; // a literal has no other keys

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
    spread(ratios(rates[variant], rates['graphile-worker']), 2),
  ]),
);
console.log();
compare(
  'lanes with the backlog, of graphile-worker',
  ratios(rates['lanes, with the backlog'], rates['graphile-worker']),
  { atLeast: 0.7 },
);
compare(
  'lanes with the backlog, of lanes with nothing else open',
  ratios(rates['lanes, with the backlog'], rates['lanes, nothing else open']),
  { atLeast: 0.77 },
);
