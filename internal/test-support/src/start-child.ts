import { onTestFinished } from 'vitest';
import { startNodeProgram } from './start-program.ts';

export interface Child {
  /** The lines that the program prints, as they come. */
  readonly lines: AsyncIterableIterator<string>;
  /** Ends the program's standard input, which the program waits for before it continues. */
  go(): void;
  /** Ends the program immediately, like `kill -9`. */
  kill(): void;
  /**
   * Resolves when the program has ended and all its lines have arrived. Rejects with its stderr if it failed; being
   * killed, by the test or by itself, is not a failure.
   */
  readonly ended: Promise<void>;
}

/** Starts a TypeScript program, or its built file, in a separate process, which is killed after the test. */
export function startChild(program: URL | string, ...values: readonly string[]): Child {
  const child = startNodeProgram(program, { args: values });
  onTestFinished(() => child.kill());
  return {
    lines: child.lines(),
    go: () => child.endInput(),
    kill: () => child.signal('SIGKILL'),
    ended: child.ended.then((end) => {
      if (end === 0 || end === 'SIGKILL') return;
      throw new Error(`${String(program)} ended with ${end}: ${child.stderr()}`);
    }),
  };
}

export async function linesOf(child: Child): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of child.lines) lines.push(line);
  await child.ended;
  return lines;
}
