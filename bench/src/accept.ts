/**
 * Accepted messages per second, on each storage, beside the same stack without a storage (the ceiling) and with what is
 * written by hand: a commit, or a statement, for each message. ROUNDS, SECONDS and CONNECTIONS are its sizes.
 */
import type { Load, LoadFigures } from './accept/load.ts';
import type { Served, ServerPlan, Usage } from './accept/server.ts';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { compare, median, plain, printMachine, printTable, ratios, size, spread } from './figures.ts';
import { providePostgres } from './postgres.ts';
import { inRounds } from './rounds.ts';

interface Variant extends Omit<ServerPlan, 'joins'> {
  readonly processes: number;
}

const ONE = { instances: 1, processes: 1 };
const VARIANTS = {
  'responses together': { service: 'responses together', ...ONE },
  'responses each': { service: 'responses each', ...ONE },
  'SQLite, commit each': { service: 'SQLite, commit each', ...ONE },
  'SQLite, trunkline': { service: 'SQLite, trunkline', ...ONE },
  'PostgreSQL, insert each': { service: 'PostgreSQL, insert each', ...ONE },
  'PostgreSQL, trunkline': { service: 'PostgreSQL, trunkline', ...ONE },
  'PostgreSQL, insert each, 100 instances': {
    service: 'PostgreSQL, insert each',
    instances: 100,
    processes: 1,
  },
  'PostgreSQL, trunkline, 100 instances': { service: 'PostgreSQL, trunkline', instances: 100, processes: 1 },
  'PostgreSQL, trunkline, 4 processes': { service: 'PostgreSQL, trunkline', instances: 100, processes: 4 },
} as const satisfies Record<string, Variant>;
type Name = keyof typeof VARIANTS;
const NAMES = Object.keys(VARIANTS) as Name[]; // its own keys
const ROUNDS = size('ROUNDS', 5);
const SECONDS = size('SECONDS', 4);
const CONNECTIONS = size('CONNECTIONS', 64);

/** The processes of a service: the first makes its data, the others join it. */
async function startService({ processes, ...plan }: Variant): Promise<readonly Child<Served>[]> {
  const program = new URL('accept/server.ts', import.meta.url);
  const start = (own: ServerPlan): Promise<Child<Served>> => startChild<Served>(program, JSON.stringify(own));
  const first = await start(plan);
  const others = Array.from({ length: processes - 1 }, () => start({ ...plan, joins: first.ready }));
  return [first, ...(await Promise.all(others))];
}

async function cpuOf(service: readonly Child<Served>[]): Promise<number> {
  const usages = await Promise.all(service.map((server) => server.ask<Usage>('cpu')));
  return usages.reduce((sum, { cpu }) => sum + cpu, 0);
}

const postgres = await providePostgres();
const services = new Map(
  await Promise.all(NAMES.map(async (name) => [name, await startService(VARIANTS[name])] as const)),
);
const load = await startChild(new URL('accept/load.ts', import.meta.url));

const results = await inRounds(NAMES, ROUNDS, async (name) => {
  const service = services.get(name) ?? [];
  const before = await cpuOf(service);
  const figures = await load.ask<LoadFigures>({
    targets: service.map(({ ready }) => ready),
    seconds: SECONDS,
    connections: CONNECTIONS,
  } satisfies Load);
  return { ...figures, cpu: ((await cpuOf(service)) - before) / figures.responded };
});
await load.stop();
for (const [first, ...others] of services.values()) {
  await Promise.all(others.map((server) => server.stop()));
  await first?.stop();
}
await postgres.stop();

const rates = (name: Name): readonly number[] => results[name].map(({ perSecond }) => perSecond);
printMachine();
printTable(
  `POST /messages, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s`,
  ['', 'per second', 'of the ceiling', 'p50 ms', 'p99 ms', 'CPU µs of the Node processes'],
  NAMES.map((name) => [
    name,
    spread(rates(name)),
    spread(ratios(rates(name), rates('responses together')), 2),
    plain(median(results[name].map(({ p50 }) => p50)), 1),
    plain(median(results[name].map(({ p99 }) => p99)), 1),
    plain(median(results[name].map(({ cpu }) => cpu)), 1),
  ]),
);
console.log();
const compareRates = (name: Name, base: Name, atLeast: number): void =>
  compare(`${name}, of ${base}`, ratios(rates(name), rates(base)), { atLeast });
compareRates('SQLite, trunkline', 'responses together', 0.45);
compareRates('SQLite, trunkline', 'SQLite, commit each', 5);
compareRates('PostgreSQL, trunkline', 'responses together', 0.4);
compareRates('PostgreSQL, trunkline', 'PostgreSQL, insert each', 1.5);
compareRates('PostgreSQL, trunkline, 100 instances', 'PostgreSQL, insert each, 100 instances', 2);
compareRates('PostgreSQL, trunkline, 4 processes', 'PostgreSQL, trunkline, 100 instances', 2.5);
