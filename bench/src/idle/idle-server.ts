import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { makeDirectory, removeDirectory } from '../temporary-directory.ts';

export interface IdleServer {
  /** Seconds from the start of the process until it printed its API key. */
  readonly upAfter: number;
  /** The time of all threads, in user and system mode. */
  cpuSeconds(): number;
  /** Written to the disk, not to sockets or pipes. */
  bytesWritten(): number;
  /** In bytes. */
  residentMemory(): number;
  stop(): Promise<void>;
}

export async function startIdleServer(args: readonly string[]): Promise<IdleServer> {
  const directory = makeDirectory();
  const started = performance.now();
  const server = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'close');
  for await (const line of createInterface({ input: server.stdout })) if (line.startsWith('API key')) break;
  const upAfter = (performance.now() - started) / 1000;
  const { pid } = server;
  if (pid === undefined || server.exitCode !== null) throw new Error('The server did not start.');
  const read = (file: string): string => readFileSync(`/proc/${pid}/${file}`, 'utf8');

  return {
    upAfter,
    cpuSeconds() {
      const stat = read('stat');
      // The second field is the name in brackets, which may contain any characters.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticksPerSecond = 100;
      return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    },
    bytesWritten: () => Number(/^write_bytes: (\d+)$/m.exec(read('io'))?.[1]),
    residentMemory: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(read('status'))?.[1]) * 1024,
    async stop() {
      server.kill('SIGTERM');
      await ended;
      removeDirectory(directory);
    },
  };
}
