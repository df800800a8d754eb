/**
 * Accepted messages per second, on each storage, beside the same stack without a storage (the ceiling) and with what is
 * written by hand: a commit, or a statement, for each message. ROUNDS, SECONDS and CONNECTIONS are its sizes.
 */
import type { LoadFigures } from './accept/load.ts';
import type { Target } from './accept/request.ts';
import type { Usage, Variant } from './accept/server.ts';
import { startChild } from './child.ts';
import { judge, median, plain, printMachine, printTable, ratio, size, spread } from './figures.ts';
import { providePostgres } from './postgres.ts';
import { inRounds } from './rounds.ts';

const VARIANTS: readonly Variant[] = [
  'answers together',
  'answers each',
  'SQLite, commit each',
  'SQLite, trunkline',
  'PostgreSQL, insert each',
  'PostgreSQL, trunkline',
];
const ROUNDS = size('ROUNDS', 5);
const SECONDS = size('SECONDS', 4);
const CONNECTIONS = size('CONNECTIONS', 64);

const postgres = await providePostgres();
const servers = new Map(
  await Promise.all(
    VARIANTS.map(
      async (variant) =>
        [variant, await startChild<Target>(new URL('accept/server.ts', import.meta.url), variant)] as const,
    ),
  ),
);
const load = await startChild(new URL('accept/load.ts', import.meta.url));

const results = await inRounds(VARIANTS, ROUNDS, async (variant) => {
  const server = servers.get(variant);
  if (!server) throw new Error(`${variant} was not started.`);
  const before = await server.ask<Usage>('cpu');
  const figures = await load.ask<LoadFigures>({
    ...server.ready,
    seconds: SECONDS,
    connections: CONNECTIONS,
  });
  const after = await server.ask<Usage>('cpu');
  return { ...figures, cpu: (after.cpu - before.cpu) / figures.answered };
});
await Promise.all([load, ...servers.values()].map((child) => child.stop()));
await postgres.stop();

const rates = (variant: Variant): readonly number[] => results[variant].map(({ perSecond }) => perSecond);
printMachine();
printTable(
  `POST /messages, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s`,
  ['', 'per second', 'of the ceiling', 'p50 ms', 'p99 ms', 'CPU µs of the Node process'],
  VARIANTS.map((variant) => [
    variant,
    spread(rates(variant)),
    plain(ratio(rates(variant), rates('answers together')), 2),
    plain(median(results[variant].map(({ p50 }) => p50)), 1),
    plain(median(results[variant].map(({ p99 }) => p99)), 1),
    plain(median(results[variant].map(({ cpu }) => cpu)), 1),
  ]),
);
console.log();
const judgeRatio = (variant: Variant, base: Variant, atLeast: number): void =>
  judge(`${variant}, of ${base}`, ratio(rates(variant), rates(base)), { atLeast });
judgeRatio('SQLite, trunkline', 'answers together', 0.6);
judgeRatio('SQLite, trunkline', 'SQLite, commit each', 6);
judgeRatio('PostgreSQL, trunkline', 'answers together', 0.5);
judgeRatio('PostgreSQL, trunkline', 'PostgreSQL, insert each', 2.8);
