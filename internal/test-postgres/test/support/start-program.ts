import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

export interface Program {
  /** What it printed. */
  readonly said: unknown;
  /** `kill -9`. */
  kill(): Promise<void>;
}

/** Starts one of the programs beside this file and waits for its line of JSON. */
export async function startProgram(
  name: 'start-postgres' | 'start-run',
  env: Record<string, string>,
): Promise<Program> {
  const file = fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ['--conditions=source', file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  const line = once(createInterface(child.stdout), 'line');
  const [said] = await Promise.race([
    line,
    ended.then(() => Promise.reject(new Error(`${name} has ended.`))),
  ]);
  return { said: JSON.parse(String(said)), kill };
}
