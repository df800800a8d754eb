import { pathToFileURL } from 'node:url';
import type { ClientSettings } from '@trunkline/fake-whatsapp';
import { createClient } from '@trunkline/http/client';
import { builtProgram } from '@trunkline/test-support/built-program';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import type { Service } from './service.ts';

const PROGRAM = pathToFileURL(await builtProgram(new URL('programs/serve.ts', import.meta.url)));

export interface ServerOptions {
  readonly directory: string;
  readonly whatsapp: ClientSettings;
  /** A key made by an earlier server on this directory; a new one by default. */
  readonly apiKey?: string | undefined;
  /** How far its clock is ahead, as if it had been started that much later. */
  readonly aheadMs: number;
  /** Whether it prints its log, at every level. */
  readonly printsLog?: boolean | undefined;
}

/** The first message of a server that is ready. */
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
  /** The server will kill itself as soon as this many more writes are on disk; 0 is right before the next one. */
  dieAfterWrites(count: number): Promise<void>;
  ended(): Promise<unknown>;
  kill(): Promise<void>;
}

/** Starts a server and waits until it is ready. Rejects when it ends before. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const program = startNodeProgram(PROGRAM, {
    args: [JSON.stringify(options)],
    // The tester's own environment must not affect the server.
    env: { PATH: process.env['PATH'] },
    hasChannel: true,
  });
  const { baseUrl, apiKey } = (await program.nextMessage()) as ServerFacts; // its first message
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
