import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createClient } from '@trunkline/http/client';
import type { TrunklineClient } from '@trunkline/http/client';
import type { Memory, ServerFacts } from './whatsapp-server.ts';

export interface MeasuredServer {
  readonly api: TrunklineClient;
  /** Memory after a garbage collection, and the longest delays. */
  memory(): Promise<Memory>;
  /** Stops the server cleanly; does nothing if it has ended. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

interface ServerOptions {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

export async function startMeasuredServer(
  program: string,
  { directory, env }: ServerOptions,
): Promise<MeasuredServer> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), [directory], {
    execArgv: ['--conditions=source', '--expose-gc'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  const nextMessage = async (): Promise<unknown> => {
    const message = once(child, 'message').then(([first]) => first as unknown);
    return Promise.race([
      message,
      ended.then(() => {
        throw new Error(`${program} ended`);
      }),
    ]);
  };
  const api = createClient((await nextMessage()) as ServerFacts); // the first message of the server
  return {
    api,
    async memory() {
      const reported = nextMessage();
      child.send('memory');
      return (await reported) as Memory; // the only response that the server sends
    },
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
