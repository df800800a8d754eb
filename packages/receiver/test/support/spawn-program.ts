import { spawn } from 'node:child_process';
import { once } from 'node:events';

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
 * Starts a program in the package's own folder, where `@trunkline/receiver` is the package itself, and waits until
 * it says on which port it listens.
 */
export async function spawnProgram({ command, args, env = {} }: ProgramOptions): Promise<Running> {
  const child = spawn(command, args, {
    cwd: new URL('../..', import.meta.url),
    env: { ...process.env, ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const port = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`The program ended: ${output}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const found = /listening on (\d+)/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      });
    }
  });
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    output: () => output,
    stop: async () => {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
