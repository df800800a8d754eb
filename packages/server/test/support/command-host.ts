import { pathToFileURL } from 'node:url';
import { builtProgram } from '@trunkline/test-support/built-program';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import type { Program } from '@trunkline/test-support/start-program';
import { afterAll } from 'vitest';

export interface HostedCommand {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

interface HostedResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HostReply extends HostedResult {
  /** Whether the command left nothing behind that another command in the same process could notice. */
  readonly isReusable: boolean;
}

const idle: Program[] = [];

// Waits for the processes to end, so that their cost is measured.
afterAll(async () => {
  await Promise.all(idle.map((host) => host.kill()));
});

/** Runs a command in a reused process, at a tenth of the cost of a new process. */
export async function runInHost(command: HostedCommand): Promise<HostedResult> {
  const host = idle.pop() ?? (await startHost());
  const message = host.nextMessage();
  host.send(command);
  const { isReusable, ...result } = (await message) as HostReply; // as the program sends it
  if (host.output() !== '')
    throw new Error(
      `"${command.args.join(' ')}" has not printed to process.stdout or stderr: ${host.output()}`,
    );
  if (isReusable) idle.push(host);
  else await host.kill();
  return result;
}

async function startHost(): Promise<Program> {
  const program = await builtProgram(new URL('programs/command-host.ts', import.meta.url));
  return startNodeProgram(pathToFileURL(program), {
    cwd: '/',
    env: { PATH: process.env['PATH'] },
    hasChannel: true,
  });
}
