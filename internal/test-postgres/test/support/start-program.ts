import { startNodeProgram } from '@trunkline/test-support/start-program';
import { onTestFinished } from 'vitest';

export interface Started {
  readonly said: unknown;
  kill(): Promise<void>;
}

/** Starts one of the programs next to this file and waits for its line of JSON. */
export async function startProgram(
  name: 'start-postgres' | 'start-run',
  env: Record<string, string>,
): Promise<Started> {
  const program = startNodeProgram(new URL(`programs/${name}.ts`, import.meta.url), {
    env: { ...process.env, ...env },
  });
  onTestFinished(() => program.kill());
  const [line] = await program.printed(/^\{.*$/m);
  return { said: JSON.parse(line), kill: () => program.kill() };
}
