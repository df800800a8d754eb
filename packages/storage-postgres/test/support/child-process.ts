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
  /** Lets it go on from where it waits for its parent. */
  go(): void;
  kill(): void;
  /** Resolves when it has ended. Rejects when it failed. */
  readonly ended: Promise<void>;
}

/** Starts a program of `programs/`, which is killed when the running test is over. */
export function startChild(program: string, ...values: readonly string[]): Child {
  const path = fileURLToPath(new URL(`programs/${program}.ts`, import.meta.url));
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
      if (child.exitCode !== 0 && child.signalCode !== 'SIGKILL')
        throw new Error(`${program} failed: ${stderr}`);
    }),
  };
}
