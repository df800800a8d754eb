import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** Starts a program and waits until it says where it listens; it is ended with the test. Answers the origin. */
export async function startProgram(
  command: string,
  { args, env }: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const program = spawn(command, args, {
    cwd: new URL('..', import.meta.url),
    env: { ...process.env, ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group: what is in node_modules/.bin may be a script that starts the program
  });
  onTestFinished(async () => {
    if (program.pid === undefined || program.exitCode !== null || program.signalCode !== null) return;
    process.kill(-program.pid, 'SIGKILL');
    await once(program, 'exit');
  });
  let output = '';
  return new Promise((resolve, reject) => {
    program.once('error', reject);
    program.once('exit', (code) => reject(new Error(`${command} ended with ${code}:\n${output}`)));
    const listen = (text: string): void => {
      output += text;
      const port = /:(\d+)\/?\s/.exec(output)?.[1];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
    };
    for (const stream of [program.stdout, program.stderr]) stream.setEncoding('utf8').on('data', listen);
  });
}
