import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { until } from '@trunkline/test-support';

const MAIN = fileURLToPath(new URL('../../start.js', import.meta.url));
/** Halves what a start costs, and there are many. */
const COMPILE_CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/compiled', import.meta.url));
const PRELOAD = new URL('preload.ts', import.meta.url).href;

export interface ServerOptions {
  /** Variables of docs/running.md. The port is any free one unless it is given. */
  readonly env: Readonly<Record<string, string>>;
  /** How far the server's clock is ahead: as if it had been started that much later. */
  readonly aheadMs?: number;
  readonly cwd?: string;
}

export interface ServerProcess {
  /** Without a slash at its end. */
  readonly url: string;
  /** Everything that it has printed so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The API key that it told, if it did. */
  readonly toldKey: () => string | undefined;
  /** Sets its clock, while it runs, to so much ahead of the machine's; resolves when that is done. */
  setClock(aheadMs: number): Promise<void>;
  /** SIGUSR2 makes it fail. */
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGUSR2'): void;
  /** Resolves with the exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals | null>;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<number | NodeJS.Signals | null>;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>;
}

const children = new Set<ChildProcess>();

// Only what a failed test has left behind.
afterAll(async () => {
  await Promise.all(
    [...children].map(async (child) => {
      child.kill('SIGKILL');
      await end(child);
    }),
  );
});

/** Starts a server process and waits until it is ready. Rejects when it ends before. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const server = spawnServer(options);
  const url = await until('the server is ready', async () => {
    const ended = server.endedWith();
    if (ended !== undefined)
      throw new Error(`The server ended (${ended}): ${server.stdout()}${server.stderr()}`);
    // Printed once all is ready, the key after the address.
    return /^API key/m.test(server.stdout()) ? addressIn(server.stdout()) : undefined;
  });
  return { ...server, url };
}

/** Runs a server that is expected to end by itself. */
export async function runServer(
  options: ServerOptions,
): Promise<{ code: number | NodeJS.Signals | null; stdout: string; stderr: string }> {
  const server = spawnServer(options);
  const code = await server.ended();
  return { code, stdout: server.stdout(), stderr: server.stderr() };
}

function addressIn(output: string): string | undefined {
  return /(?:listens on|is at|see) (http:\/\/\S+?:\d+)(?:\/api\/v1|\/healthz)?$/m.exec(output)?.[1];
}

function spawnServer({ env, aheadMs = 0, cwd }: ServerOptions): Omit<ServerProcess, 'url'> & {
  endedWith(): number | NodeJS.Signals | null | undefined;
} {
  const child = spawn(process.execPath, [`--import=${PRELOAD}`, '--conditions=source', MAIN], {
    cwd,
    // Nothing of the tester's own environment decides how the server runs.
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      LOG_LEVEL: 'warn',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      CLOCK_AHEAD_MS: String(aheadMs),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.add(child);
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  let closed = false;
  const closing = once(child, 'close').then(() => {
    closed = true;
    children.delete(child);
  });
  const ended = async (): Promise<number | NodeJS.Signals | null> => {
    await closing;
    return child.exitCode ?? child.signalCode;
  };
  return {
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    toldKey: () => /^API key.*: (trk_\w+)$/m.exec(output.stdout)?.[1],
    async setClock(ms) {
      const set = once(child, 'message');
      child.send({ aheadMs: ms });
      await set;
    },
    signal: (name) => void child.kill(name),
    ended,
    endedWith: () => (closed ? (child.exitCode ?? child.signalCode) : undefined),
    async stop() {
      child.kill('SIGTERM');
      return ended();
    },
    async kill() {
      child.kill('SIGKILL');
      await ended();
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
