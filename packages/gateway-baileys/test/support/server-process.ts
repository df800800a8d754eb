import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ClientSettings } from '@trunkline/fake-whatsapp';
import { createClient } from '@trunkline/http/client';
import { afterAll } from 'vitest';
import type { Service } from './service.ts';

const PROGRAM = fileURLToPath(new URL('programs/serve.ts', import.meta.url));
/** Halves what a start costs, and there are many. */
const COMPILE_CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/compiled', import.meta.url));

export interface ServerOptions {
  readonly directory: string;
  readonly whatsapp: ClientSettings;
  /** One made by an earlier server on this directory; a new one by default. */
  readonly apiKey?: string | undefined;
  /** How far its clock is ahead: as if it had been started that much later. */
  readonly aheadMs: number;
  /** Whether it prints its log, at every level. */
  readonly printsLog?: boolean | undefined;
}

/** What a server says when it is ready. */
export interface ServerFacts {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** A write that the network caused. */
interface Write {
  readonly name: string;
  /** Milliseconds since the epoch, with fractions, on this machine's clock. */
  readonly at: number;
}

/** The whole service in a process of its own. */
export interface ServerProcess extends Service {
  readonly apiKey: string;
  /** Everything that it has printed so far, on both of its outputs. */
  output(): string;
  writes(): readonly Write[];
  /** It will kill itself as soon as so many more writes are on disk; 0 is right before the next one. */
  dieAfterWrites(count: number): Promise<void>;
  ended(): Promise<unknown>;
  kill(): Promise<void>;
}

const children = new Set<ChildProcess>();

// Only what a failed test has left behind.
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts a server and waits until it is ready. Rejects when it ends before. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const child = fork(PROGRAM, [JSON.stringify(options)], {
    execArgv: ['--conditions=source'],
    // Nothing of the tester's own environment decides how the server runs.
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.add(child);
  let output = '';
  const outputs = [child.stdout, child.stderr].filter((stream) => stream !== null);
  for (const stream of outputs) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  // Not its 'close', which never comes after a disconnect from this side.
  const ending = Promise.all([once(child, 'exit'), ...outputs.map((stream) => once(stream, 'end'))]);
  const ended = ending.then(() => children.delete(child));
  const tooEarly = ended.then(() => {
    throw new Error(`The server ended before it was ready: ${output}`);
  });
  const [ready] = await Promise.race([once(child, 'message'), tooEarly]);
  const { baseUrl, apiKey } = ready as ServerFacts; // its first message
  return {
    apiKey,
    client: createClient({ baseUrl, apiKey, maxRetries: 0 }),
    output: () => output,
    writes: () => writesIn(output),
    async dieAfterWrites(count) {
      const noted = once(child, 'message');
      child.send(count);
      await noted;
    },
    ended: () => ended,
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function writesIn(output: string): readonly Write[] {
  return Array.from(output.matchAll(/^([\d.]+) (\w+)$/gm), ([, at, name = '']) => ({ name, at: Number(at) }));
}
