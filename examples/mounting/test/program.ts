import { onTestFinished } from 'vitest';
import { startProgram } from '@trunkline/test-support/start-program';

/**
 * Starts a program, and waits until it prints its address. The program is killed after the test. Returns the origin.
 */
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
