import { onTestFinished } from 'vitest';
import { startNodeProgram } from './start-program.ts';

export interface Child {
  /** The lines that it prints, as they come. */
  readonly lines: AsyncIterableIterator<string>;
  /** Ends its standard input: the program waits for that before it continues. */
  go(): void;
  /** Immediately, as `kill -9` does. */
  kill(): void;
  /**
   * Resolves when it has ended and all its lines have arrived. Rejects with what it wrote to stderr if it failed; being
   * killed, by the test or by itself, is not a failure.
   */
  readonly ended: Promise<void>;
}

/** Starts a TypeScript program, or the file of one that is built, in a process of its own, which is killed when the test that runs is over. */
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

/** All the lines that it prints until it ends. */
export async function linesOf(child: Child): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of child.lines) lines.push(line);
  await child.ended;
  return lines;
}
