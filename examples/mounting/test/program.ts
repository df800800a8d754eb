import { onTestFinished } from 'vitest';
import { startProgram } from '@trunkline/test-support/start-program';

/** Waits until the program prints its address, and returns its origin. The program is killed after the test. */
export async function startServer(
  command: string,
  { args, env }: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const program = startProgram(command, {
    args,
    cwd: new URL('..', import.meta.url),
    env: { ...process.env, ...env, NO_COLOR: '1' },
    isGroup: true,
  });
  onTestFinished(() => program.kill());
  const [, port] = await program.printed(/:(\d+)\/?\s/);
  return `http://127.0.0.1:${port}`;
}
