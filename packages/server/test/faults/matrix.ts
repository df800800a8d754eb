import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MODES, modesOf } from './faults.ts';
import type { Fault, Mode } from './faults.ts';
import { ACCEPTED_BREAKS } from './accepted-breaks.ts';
import type { AcceptedBreak } from './accepted-breaks.ts';
import { operationsOfPorts } from './ports.ts';
import { check, PROMISES } from './promises.ts';
import type { Verdict } from './promises.ts';
import { SEED } from './simulated-service.ts';
import type { Phase } from './simulation.ts';
import type { Surround } from './surroundings.ts';

interface MatrixOptions {
  /** The name of the surroundings and the phase, for the report. */
  readonly name: string;
  readonly surround: Surround;
  readonly phase?: Phase;
  /** All by default. */
  readonly modes?: readonly Mode[];
  /** The operations that fail; all by default. */
  readonly only?: RegExp;
  /** Whether promises that may break may also hold; by default, only while a process starts or stops. */
  readonly acceptedMayHold?: boolean;
  /** Further accepted breaks of these surroundings. */
  readonly alsoAccepted?: readonly AcceptedBreak[];
}

/**
 * How many operations fail in one simulation. If all promises hold, they hold for each operation; if not, the halves
 * are simulated, and so on.
 */
const TOGETHER = 12;
const MODE_TIMEOUT_MS = 30 * 60_000;
const REPORTS = join(import.meta.dirname, '../../../../reports');
/** Shown instead of letters: the promises hold, or no call met the fault. */
const HOLDS = '.';
const NOT_MET = '-';

/**
 * Simulates every fault of every operation, compares the broken promises with `ACCEPTED_BREAKS`, and prints the matrix.
 */
export function describeMatrix({ name, surround, phase = 'running', ...options }: MatrixOptions): void {
  const acceptedMayHold = options.acceptedMayHold ?? phase !== 'running';
  const modes = options.modes ?? (Object.keys(MODES) as Mode[]); // no other keys
  const operations = operationsOfPorts();
  const chosen = operations.filter((operation) => options.only?.test(operation.name) ?? true);
  const cells = new Map<string, string>();
  const shown: string[] = [];
  let undisturbed: Verdict;

  const run = (faults: readonly Fault[]): Promise<Verdict> => check({ surround, operations, faults, phase });

  const simulateAll = async (faults: readonly Fault[]): Promise<void> => {
    if (faults.length === 0) return;
    const verdict = await run(faults);
    const met = faults.filter((fault) => verdict.met.has(fault.operation.name));
    const [only] = faults;
    if (faults.length === 1 && only) {
      const letters = [...verdict.broken.keys()].map(String).toSorted().join('');
      cells.set(cellOf(only), met.length === 0 ? NOT_MET : letters || HOLDS);
      for (const [letter, reasons] of verdict.broken)
        shown.push(`${cellOf(only)}: ${letter}: ${reasons.join('; ')}`);
      return;
    }
    if (verdict.broken.size === 0 && met.length > 0) {
      for (const fault of met) cells.set(cellOf(fault), HOLDS);
      // The faults that were met kept the service from calling the other operations.
      await simulateAll(faults.filter((fault) => !met.includes(fault)));
      return;
    }
    const half = Math.ceil(faults.length / 2);
    await simulateAll(faults.slice(0, half));
    await simulateAll(faults.slice(half));
  };

  describe(name, () => {
    beforeAll(async () => {
      undisturbed = await run([]);
    }, MODE_TIMEOUT_MS);

    it('keeps every promise while nothing fails', () => {
      expect(Object.fromEntries(undisturbed.broken)).toEqual({});
    });

    it.each(modes)(
      'keeps every promise but those that are accepted: %s',
      { timeout: MODE_TIMEOUT_MS },
      async (mode) => {
        const faults = chosen
          .filter((operation) => modesOf(operation).includes(mode))
          .filter(({ name: operation }) =>
            'ofOne' in MODES[mode]
              ? undisturbed.calledForOne.has(operation)
              : undisturbed.called.has(operation),
          )
          .map((operation) => ({ operation, mode }));
        const isAccepted = (fault: Fault): boolean =>
          acceptedLetters(fault, phase, options.alsoAccepted) !== '';
        for (const fault of faults.filter(isAccepted)) await simulateAll([fault]);
        const others = spread(faults.filter((fault) => !isAccepted(fault)));
        for (let i = 0; i < others.length; i += TOGETHER) await simulateAll(others.slice(i, i + TOGETHER));

        const differing = faults.flatMap((fault) => {
          const letters = cells.get(cellOf(fault));
          const expected = acceptedLetters(fault, phase, options.alsoAccepted) || HOLDS;
          const isByChance = acceptedBreaks(fault, phase, options.alsoAccepted).some(
            ({ mayHold }) => mayHold,
          );
          const mayHold = (acceptedMayHold || isByChance) && letters === HOLDS;
          return letters === expected || letters === NOT_MET || mayHold
            ? []
            : [
                `${cellOf(fault)}: ${letters}, not ${expected}`,
                ...shown.filter((line) => line.startsWith(`${cellOf(fault)}:`)),
              ];
        });
        expect(differing).toEqual([]);
      },
    );

    afterAll(() => {
      const text = printed(
        name,
        chosen.map((operation) => operation.name),
        modes,
        cells,
      );
      mkdirSync(REPORTS, { recursive: true });
      writeFileSync(
        join(REPORTS, `faults-${name.replaceAll(/\W+/g, '-')}.txt`),
        `${text}\n\n${shown.join('\n')}\n`,
      );
      process.stdout.write(`${text}\n`);
    });
  });
}

function cellOf({ operation, mode }: Fault): string {
  return `${operation.name} ${mode}`;
}

/** The promises that may break in this cell; empty if all must hold. */
export function acceptedLetters(fault: Fault, phase: Phase, more: readonly AcceptedBreak[] = []): string {
  const letters = acceptedBreaks(fault, phase, more).flatMap(({ letters: own }) => own);
  return [...new Set(letters.map(String))].toSorted().join('');
}

function acceptedBreaks(
  { operation, mode }: Fault,
  phase: Phase,
  more: readonly AcceptedBreak[] = [],
): readonly AcceptedBreak[] {
  return [...ACCEPTED_BREAKS, ...more].filter(
    (accepted) =>
      accepted.operation === operation.name &&
      accepted.modes.includes(mode) &&
      (accepted.phase ?? phase) === phase,
  );
}

/** Orders faults so that neighbours, which often depend on each other, are simulated in different groups. */
function spread(faults: readonly Fault[]): readonly Fault[] {
  const columns = Math.ceil(faults.length / TOGETHER);
  return Array.from({ length: columns }, (_, column) =>
    faults.filter((__, i) => i % columns === column),
  ).flat();
}

function printed(
  name: string,
  operations: readonly string[],
  modes: readonly Mode[],
  cells: ReadonlyMap<string, string>,
): string {
  const width = Math.max(...operations.map((operation) => operation.length));
  const rows = operations.map((operation) =>
    [
      operation.padEnd(width),
      ...modes.map((mode) => (cells.get(`${operation} ${mode}`) ?? '').padEnd(mode.length)),
    ].join('  '),
  );
  return [
    `Faults: ${name}, TEST_SEED=${SEED}, of ${cells.size} cells ${[...cells.values()].filter((cell) => cell === HOLDS).length} hold. "${HOLDS}": every promise holds; "${NOT_MET}": no call met the fault; empty: not simulated.`,
    ...Object.entries(PROMISES).map(([letter, promise]) => `${letter}: not "${promise}"`),
    [' '.repeat(width), ...modes].join('  '),
    ...rows,
  ].join('\n');
}
