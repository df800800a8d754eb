import { startChild } from '../child.ts';
import type { Child } from '../child.ts';
import { compare, median, plain, printMachine, printTable, ratios, size, spread } from '../figures.ts';
import { providePostgres } from '../postgres.ts';
import { inRounds } from '../rounds.ts';
import type { Load, LoadFigures } from './load.ts';
import type { Served, ServerPlan, Usage } from './server-plan.ts';

export interface Variant extends Omit<ServerPlan, 'joins'> {
  readonly processes: number;
  /** By default, this checkout's program. */
  readonly program?: URL;
}

export const ONE = { instances: 1, processes: 1 };

const ROUNDS = size('ROUNDS', 5);
const SECONDS = size('SECONDS', 4);
const CONNECTIONS = size('CONNECTIONS', 64);

/** Compares the rates of two variants, and prints whether the ratio reaches its aim. */
export type CompareRates<Name> = (name: Name, base: Name, atLeast: number) => void;

/** Measures the variants alternately. Prints a table with the rate of each relative to that of `base`. */
export async function measureAcceptance<Name extends string>(
  variants: Readonly<Record<Name, Variant>>,
  base: { readonly name: NoInfer<Name>; readonly called: string },
): Promise<CompareRates<Name>> {
  const names = Object.keys(variants) as Name[]; // callers pass no other keys
  const postgres = await providePostgres();
  const services = new Map(
    await Promise.all(names.map(async (name) => [name, await startService(variants[name])] as const)),
  );
  const load = await startChild(new URL('load.ts', import.meta.url));

  const results = await inRounds(names, ROUNDS, async (name) => {
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
    ['', 'per second', `of ${base.called}`, 'p50 ms', 'p99 ms', 'CPU µs of the Node processes'],
    names.map((name) => [
      name,
      spread(rates(name)),
      spread(ratios(rates(name), rates(base.name)), 2),
      plain(median(results[name].map(({ p50 }) => p50)), 1),
      plain(median(results[name].map(({ p99 }) => p99)), 1),
      plain(median(results[name].map(({ cpu }) => cpu)), 1),
    ]),
  );
  console.log();
  return (name, other, atLeast) =>
    compare(`${name}, of ${other}`, ratios(rates(name), rates(other)), { atLeast });
}

/** Starts the processes of a service: the first creates the data, the others join it. */
async function startService({
  processes,
  program = new URL('server.ts', import.meta.url),
  ...plan
}: Variant): Promise<readonly Child<Served>[]> {
  const start = (own: ServerPlan): Promise<Child<Served>> => startChild<Served>(program, JSON.stringify(own));
  const first = await start(plan);
  const others = Array.from({ length: processes - 1 }, () => start({ ...plan, joins: first.ready }));
  return [first, ...(await Promise.all(others))];
}

async function cpuOf(service: readonly Child<Served>[]): Promise<number> {
  const usages = await Promise.all(service.map((server) => server.ask<Usage>('cpu')));
  return usages.reduce((sum, { cpu }) => sum + cpu, 0);
}
