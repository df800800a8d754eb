/**
 * What pages, look-ups, acceptances and claims take with a long history, beside a short one. SMALL and LARGE are the rows,
 * of messages and of open deliveries each; ROUNDS and REPEATS how often each is done.
 */
import { median, plain, printMachine, printTable, size, spread } from './figures.ts';
import { makeHistory } from './flat/history.ts';
import type { History } from './flat/history.ts';
import { OPERATIONS } from './flat/operations.ts';

const SMALL = size('SMALL', 10_000);
const LARGE = size('LARGE', 1_000_000);
const ROUNDS = size('ROUNDS', 9);
const REPEATS = size('REPEATS', 40);
const AIM = 1.3;

const small = await makeHistory(SMALL);
const large = await makeHistory(LARGE);

/** Microseconds for one, the median of a few. */
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
let missed = 0;
for (const [name, operation] of Object.entries(OPERATIONS)) {
  const times: { small: number; large: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const figures = {
      small: await timeOf(operation, small, round),
      large: await timeOf(operation, large, round),
    };
    if (round > 0) times.push(figures); // the first one warms up
  }
  const ratio = median(times.map((time) => time.large / time.small));
  if (ratio > AIM) missed += 1;
  rows.push([
    name,
    spread(times.map((time) => time.small)),
    spread(times.map((time) => time.large)),
    plain(ratio, 2),
  ]);
}
await Promise.all([small.remove(), large.remove()]);

printMachine();
printTable(
  'What it takes with a long history',
  ['', `µs at ${plain(SMALL)}`, `µs at ${plain(LARGE)}`, 'ratio'],
  rows,
);
console.log(`\n${missed === 0 ? 'reached' : `MISSED by ${missed}`}: each ratio at most ${AIM}`);
