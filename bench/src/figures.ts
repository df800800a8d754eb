import { appendFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename } from 'node:path';

/** A number from the environment, or the usual one. */
export function size(name: string, usual: number): number {
  const given = process.env[name];
  const value = given === undefined ? usual : Number(given);
  if (!(value > 0)) throw new Error(`${name} must be a number above 0.`);
  return value;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value that a share of the values, such as 0.99, does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error('There are no values.');
  return value;
}

export function plain(value: number, digits = 0): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The median, with the lowest and the highest value in brackets. */
export function spread(values: readonly number[], digits = 0): string {
  return `${plain(median(values), digits)} (${plain(Math.min(...values), digits)}–${plain(Math.max(...values), digits)})`;
}

/** The ratio in each round, because other load changes from round to round. */
export function ratios(values: readonly number[], base: readonly number[]): readonly number[] {
  return values.map((value, round) => value / (base[round] ?? Number.NaN));
}

export function printTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  console.log(`\n## ${title}\n`);
  console.log([line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n'));
}

/** A row of the summary of all benches. */
export interface Outcome {
  readonly bench: string;
  readonly what: string;
  readonly aim: string;
  /** The median, with the lowest and the highest round in brackets. */
  readonly figure: string;
  readonly isReached: boolean;
}

interface Aim {
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Names the file to which a run appends its outcomes, one line of JSON each. */
export const OUTCOMES_VARIABLE = 'BENCH_OUTCOMES';

/**
 * Compares the median of the rounds with an aim, and prints the outcome. Does not change the exit code, because a busy
 * machine may miss an aim.
 */
export function compare(what: string, values: readonly number[], { atLeast, atMost }: Aim): void {
  const value = median(values);
  const outcome: Outcome = {
    bench: basename(process.argv[1] ?? '', '.ts'),
    what,
    aim: atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`,
    figure: values.length === 1 ? plain(value, 2) : spread(values, 2),
    isReached: value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity),
  };
  console.log(rowOf(outcome));
  const file = process.env[OUTCOMES_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(outcome)}\n`);
}

/** A row of the table of aims in README.md. */
export function rowOf({ bench, what, aim, figure, isReached }: Outcome): string {
  return `| ${[bench, what, aim, figure, isReached ? 'reached' : 'missed', today()].join(' | ')} |`;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

export function printMachine(): void {
  const [cpu] = cpus();
  console.log(`${today()}, Node ${process.version}, ${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}`);
}
