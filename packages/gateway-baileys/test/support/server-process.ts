import { pathToFileURL } from 'node:url';
import type { ClientSettings } from '@trunkline/fake-whatsapp';
import { createClient } from '@trunkline/http/client';
import { builtProgram } from '@trunkline/test-support/built-program';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import type { Service } from './service.ts';

const PROGRAM = pathToFileURL(await builtProgram(new URL('programs/serve.ts', import.meta.url)));

export interface ServerOptions {
  readonly directory: string;
  readonly databaseUrl?: string | undefined;
  readonly whatsapp: ClientSettings;
  /** Taken from an earlier server on this directory; by default, a new key. */
  readonly apiKey?: string | undefined;
  /** How far the server's clock is ahead, as if it had started that much later. */
  readonly aheadMs: number;
  readonly printsLog?: boolean | undefined;
}

export interface ServerFacts {
  readonly baseUrl: string;
  readonly apiKey: string;
}

interface Write {
  readonly name: string;
  /** Milliseconds since the epoch, with fractions, on this machine's clock. */
  readonly at: number;
}

export interface ServerProcess extends Service {
  readonly apiKey: string;
  output(): string;
  writes(): readonly Write[];
  /** Makes the server kill itself when this many more writes are on disk; 0 means immediately before the next write. */
  dieAfterWrites(count: number): Promise<void>;
  ended(): Promise<unknown>;
  kill(): Promise<void>;
}

/** Starts a server and waits until it is ready. Rejects if it ends first. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const program = startNodeProgram(PROGRAM, {
    args: [JSON.stringify(options)],
    env: { PATH: process.env['PATH'] },
    hasChannel: true,
  });
  const { baseUrl, apiKey } = (await program.nextMessage()) as ServerFacts; // the server's first message
  return {
    apiKey,
    client: createClient({ baseUrl, apiKey, maxRetries: 0 }),
    output: () => program.output(),
    writes: () => writesIn(program.output()),
    async dieAfterWrites(count) {
      const noted = program.nextMessage();
      program.send(count);
      await noted;
    },
    ended: () => program.ended,
    async stop() {
      program.disconnect();
      await program.ended;
    },
    kill: () => program.kill(),
  };
}

function writesIn(output: string): readonly Write[] {
  return Array.from(output.matchAll(/^([\d.]+) (\w+)$/gm), ([, at, name = '']) => ({ name, at: Number(at) }));
}
