import { cpus } from 'node:os';

/** A number from the environment: the size of a run. */
export function size(name: string, usual: number): number {
  const given = process.env[name];
  const value = given === undefined ? usual : Number(given);
  if (!(value > 0)) throw new Error(`${name} must be a number above 0.`);
  return value;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** 0.99 for the value that 99 of 100 do not pass. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error('There are no values.');
  return value;
}

export function plain(value: number, digits = 0): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The median, and the lowest and highest in brackets. */
export function spread(values: readonly number[], digits = 0): string {
  return `${plain(median(values), digits)} (${plain(Math.min(...values), digits)}–${plain(Math.max(...values), digits)})`;
}

/** Median over the rounds of what each of them compares: what else the machine does changes from round to round. */
export function ratio(values: readonly number[], base: readonly number[]): number {
  return median(values.map((value, round) => value / (base[round] ?? Number.NaN)));
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

/** Says whether an aim is reached. Figures of a busy machine are no reason to fail, so nothing else happens. */
export function judge(
  what: string,
  value: number,
  aim: { readonly atLeast?: number; readonly atMost?: number },
): void {
  const { atLeast = -Infinity, atMost = Infinity } = aim;
  const isReached = value >= atLeast && value <= atMost;
  const bound = aim.atLeast === undefined ? `at most ${aim.atMost}` : `at least ${aim.atLeast}`;
  console.log(`${isReached ? 'reached' : 'MISSED'}: ${what} ${plain(value, 2)}, aim ${bound}`);
}

export function printMachine(): void {
  const [cpu] = cpus();
  console.log(
    `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}`,
  );
}
