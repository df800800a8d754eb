/**
 * The time of pages, lookups, acceptances and claims with a long history, relative to a short one. SMALL and LARGE are
 * the numbers of messages, of events about them, and of open deliveries. ROUNDS and REPEATS are how often each
 * operation runs. STORAGE is `sqlite` or `postgres`.
 */
import { compare, median, plain, printMachine, printTable, ratios, size, spread } from './figures.ts';
import { makeHistory } from './flat/history.ts';
import type { History } from './flat/history.ts';
import { OPERATIONS } from './flat/operations.ts';
import { providePostgres } from './postgres.ts';
import { STORAGES } from './storages.ts';

const SMALL = size('SMALL', 10_000);
const LARGE = size('LARGE', 1_000_000);
const ROUNDS = size('ROUNDS', 9);
const REPEATS = size('REPEATS', 40);

const STORAGE = process.env['STORAGE'] ?? 'sqlite';
if (STORAGE !== 'sqlite' && STORAGE !== 'postgres') throw new Error('STORAGE must be sqlite or postgres.');

const postgres = STORAGE === 'postgres' ? await providePostgres() : null;
const small = await makeHistory(STORAGES[STORAGE], SMALL);
const large = await makeHistory(STORAGES[STORAGE], LARGE);

/** In microseconds, the median. */
async function timeOf(
  operation: (history: History, index: number) => Promise<unknown>,
  history: History,
  round: number,
): Promise<number> {
  const times: number[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const began = performance.now();
    await operation(history, round * REPEATS + repeat);
    times.push((performance.now() - began) * 1000);
  }
  return median(times);
}

const rows: string[][] = [];
const highest: number[] = [];
for (const [name, operation] of Object.entries(OPERATIONS)) {
  const times: { small: number; large: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const figures = {
      small: await timeOf(operation, small, round),
      large: await timeOf(operation, large, round),
    };
    if (round > 0) times.push(figures); // the first round warms up
  }
  const [shortOnes, longOnes] = [times.map((time) => time.small), times.map((time) => time.large)];
  const compared = ratios(longOnes, shortOnes);
  highest.push(median(compared));
  rows.push([name, spread(shortOnes), spread(longOnes), spread(compared, 2)]);
}
await Promise.all([small.remove(), large.remove()]);
await postgres?.stop();

printMachine();
printTable(
  `What it takes with a long history, ${STORAGE}`,
  ['', `µs at ${plain(SMALL)}`, `µs at ${plain(LARGE)}`, 'ratio'],
  rows,
);
console.log();
compare(`${STORAGE}: the highest of ${highest.length} ratios`, [Math.max(...highest)], { atMost: 1.3 });
