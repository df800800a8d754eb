import { startProgram } from '@trunkline/test-support/start-program';

export interface Running {
  readonly url: string;
  readonly output: () => string;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts a program in this package's folder, so that it can import `@trunkline/receiver`, and waits until it prints its
 * port.
 */
export async function spawnProgram({ command, args, env = {} }: ProgramOptions): Promise<Running> {
  const program = startProgram(command, {
    args,
    cwd: new URL('../..', import.meta.url),
    env: { ...process.env, ...env, PORT: '0' },
  });
  const [, port] = await program.printed(/listening on (\d+)/);
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    output: () => program.output(),
    async stop() {
      await program.stop();
    },
  };
}
