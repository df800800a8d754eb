/** How long the example server takes to start, and what memory and CPU it takes and what it writes while nothing is asked of it. SECONDS is how long it is watched. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compare, plain, printMachine, size } from './figures.ts';
import { makeDirectory, removeDirectory } from './temporary-directory.ts';

const SECONDS = size('SECONDS', 60);
/** What is loaded and compiled once is not what it takes while it idles. */
const SETTLED_AFTER_MS = 5_000;
const MB = 1_048_576;
const MAIN = fileURLToPath(new URL('../../examples/server/src/main.ts', import.meta.url));

const directory = makeDirectory();
const started = performance.now();
const server = spawn(process.execPath, ['--conditions=source', MAIN], {
  env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: directory },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(server, 'close');
for await (const line of createInterface({ input: server.stdout })) if (line.startsWith('API key')) break;
const upAfter = (performance.now() - started) / 1000;
const { pid } = server;
if (pid === undefined) throw new Error('The server did not start.');

await setTimeout(SETTLED_AFTER_MS);
const before = { cpu: cpuSeconds(pid), written: bytesWritten(pid) };
await setTimeout(SECONDS * 1000);
const share = (cpuSeconds(pid) - before.cpu) / SECONDS;
const written = (bytesWritten(pid) - before.written) / SECONDS;
const memory = residentMemory(pid) / MB;
server.kill('SIGTERM');
await ended;
removeDirectory(directory);

printMachine();
console.log(
  `\nThe idle example server: ${plain(memory)} MB, ${plain(share * 100, 2)} % of a core, ${plain(written)} bytes written a second\n`,
);
compare('MB', [memory], { atMost: 85 });
compare('percent of a core', [share * 100], { atMost: 1 });
compare('seconds until it is up', [upAfter], { atMost: 1 });

/** User and system time of all its threads, as Linux counts it. */
function cpuSeconds(id: number): number {
  const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
  // The second field is the name in brackets, which may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticksPerSecond = 100;
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** What went to the disk; a socket or a pipe is none. */
function bytesWritten(id: number): number {
  const [, bytes] = /^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${id}/io`, 'utf8')) ?? [];
  return Number(bytes);
}

function residentMemory(id: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
