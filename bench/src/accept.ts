/**
 * Accepted messages per second, beside the same stack without a storage (the ceiling) and with a commit for each
 * message. ROUNDS, SECONDS and CONNECTIONS are its sizes.
 */
import type { LoadFigures } from './accept/load.ts';
import type { Target } from './accept/request.ts';
import type { Usage, Variant } from './accept/server.ts';
import { startChild } from './child.ts';
import { judge, median, plain, printMachine, printTable, ratio, size, spread } from './figures.ts';
import { inRounds } from './rounds.ts';

const VARIANTS: readonly Variant[] = ['answers together', 'answers each', 'commit each', 'trunkline'];
const ROUNDS = size('ROUNDS', 5);
const SECONDS = size('SECONDS', 4);
const CONNECTIONS = size('CONNECTIONS', 64);

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

const rates = (variant: Variant): readonly number[] => results[variant].map(({ perSecond }) => perSecond);
printMachine();
printTable(
  `POST /messages, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s`,
  ['', 'per second', 'of the ceiling', 'of a commit each', 'p50 ms', 'p99 ms', 'server CPU µs'],
  VARIANTS.map((variant) => [
    variant,
    spread(rates(variant)),
    plain(ratio(rates(variant), rates('answers together')), 2),
    plain(ratio(rates(variant), rates('commit each')), 2),
    plain(median(results[variant].map(({ p50 }) => p50)), 1),
    plain(median(results[variant].map(({ p99 }) => p99)), 1),
    plain(median(results[variant].map(({ cpu }) => cpu)), 1),
  ]),
);
console.log();
judge('of the ceiling', ratio(rates('trunkline'), rates('answers together')), { atLeast: 0.6 });
judge('of a commit each', ratio(rates('trunkline'), rates('commit each')), { atLeast: 6 });
