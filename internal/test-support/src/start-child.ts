import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Child {
  /** The lines that it prints, as they come. */
  readonly lines: AsyncIterableIterator<string>;
  /** Ends its standard input, which it waits for before it goes on. */
  go(): void;
  /** Immediately, as `kill -9` does. */
  kill(): void;
  /**
   * Resolves when it has ended and all its lines are there. Rejects with what it wrote to stderr when it failed; to be
   * killed, by the test or by itself, is no failure.
   */
  readonly ended: Promise<void>;
}

/** Starts a TypeScript program in a process of its own, which is killed when the test that runs is over. */
export function startChild(program: URL, ...values: readonly string[]): Child {
  const path = fileURLToPath(program);
  const child = spawn(process.execPath, ['--conditions=source', path, ...values], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Halves what a start costs.
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'trunkline-compile-cache') },
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  return {
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    go: () => child.stdin.end(),
    kill: () => child.kill('SIGKILL'),
    ended: closed.then(() => {
      if (child.exitCode === 0 || child.signalCode === 'SIGKILL') return;
      throw new Error(`${path} ended with ${child.signalCode ?? child.exitCode}: ${stderr}`);
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
