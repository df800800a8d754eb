import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/** Starts processes that only loop, and end by themselves after ten minutes at the latest. */
export function startBurners(count: number): { stop(): void } {
  const loop = 'const end = Date.now() + 600_000; while (Date.now() < end);';
  const burners = Array.from({ length: count }, (): ChildProcess =>
    spawn(process.execPath, ['-e', loop], { stdio: 'ignore' }),
  );
  return {
    stop() {
      for (const burner of burners) burner.kill('SIGKILL');
    },
  };
}
