import { pathToFileURL } from 'node:url';
import { builtProgram } from '@trunkline/test-support/built-program';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import type { End, Program } from '@trunkline/test-support/start-program';

const SOURCE = new URL('../../src/cli.ts', import.meta.url);
const BUILT = pathToFileURL(await builtProgram(SOURCE));
const PRELOAD = new URL('preload.ts', import.meta.url).href;
/** A preload that makes a program print what it would print to a terminal. */
export const TERMINAL_PRELOAD: string = new URL('terminal-preload.ts', import.meta.url).href;

export interface ServerOptions {
  /** Variables of docs/running.md. By default, any free port is used. */
  readonly env: Readonly<Record<string, string>>;
  /** How far the server's clock is ahead, as if the server had been started that much later. */
  readonly aheadMs?: number;
  readonly cwd?: string;
  /** Whether each module is loaded from its own file, not from a bundle. */
  readonly isFromSources?: boolean;
  /** Whether the server prints what it would print to a terminal, including secrets. */
  readonly isAtTerminal?: boolean;
}

export interface ServerProcess {
  /** The address, without a trailing slash. */
  readonly url: string;
  readonly pid: number | undefined;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The API key, if the server printed one. */
  readonly shownKey: () => string | undefined;
  /** Sets the running server's clock ahead of the machine's by this much; resolves when done. */
  setClock(aheadMs: number): Promise<void>;
  /** SIGUSR2 simulates a defect. */
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGUSR2'): void;
  /** Resolves with the exit code, or the signal that ended the server. */
  ended(): Promise<End>;
  stop(): Promise<End>;
  kill(): Promise<void>;
}

/** Starts a server process and waits until it is ready. Rejects if it ends first. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { server, printed } = spawnServer(options);
  // The API key line is printed last, once all is ready.
  await printed(/^API key/m);
  return { ...server, url: addressIn(server.stdout()) };
}

export interface FailedServer {
  readonly code: End;
  readonly stdout: string;
  readonly stderr: string;
  /** Why the server could not start. */
  complaints(): readonly string[];
}

export async function runServer(options: ServerOptions): Promise<FailedServer> {
  const { server } = spawnServer(options);
  const code = await server.ended();
  const stderr = server.stderr();
  return { code, stdout: server.stdout(), stderr, complaints: () => complaintsIn(stderr) };
}

/** The complaints in the log of a server that could not start. Throws if the log has anything else. */
export function complaintsIn(log: string): readonly string[] {
  return log
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { level, msg } = JSON.parse(line) as { readonly level?: number; readonly msg?: string }; // pino writes both
      const [, complaint] = /^the server cannot start: (.*)$/.exec(msg ?? '') ?? [];
      if (level !== 60 || complaint === undefined) throw new Error(`This is no failed start: ${line}`);
      return complaint;
    });
}

function addressIn(output: string): string {
  const found = /(?:listens on|is at|see) (http:\/\/\S+?:\d+)(?:\/api\/v1|\/healthz)?$/m.exec(output)?.[1];
  if (found === undefined) throw new Error(`The server printed no address: ${output}`);
  return found;
}

function spawnServer({ env, aheadMs = 0, cwd, isFromSources = false, isAtTerminal = false }: ServerOptions): {
  readonly server: Omit<ServerProcess, 'url'>;
  readonly printed: Program['printed'];
} {
  const program = startNodeProgram(isFromSources ? SOURCE : BUILT, {
    args: ['serve'],
    nodeArgs: [`--import=${PRELOAD}`, ...(isAtTerminal ? [`--import=${TERMINAL_PRELOAD}`] : [])],
    ...(cwd !== undefined && { cwd }),
    // The developer's own environment must not affect the server.
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      LOG_LEVEL: 'warn',
      CLOCK_AHEAD_MS: String(aheadMs),
      ...env,
    },
    hasChannel: true,
  });
  const server = {
    pid: program.pid,
    stdout: () => program.stdout(),
    stderr: () => program.stderr(),
    shownKey: () => /^API key.*: (trk_\w+)$/m.exec(program.stdout())?.[1],
    async setClock(ms: number) {
      const set = program.nextMessage();
      program.send({ aheadMs: ms });
      await set;
    },
    signal: (name: NodeJS.Signals) => program.signal(name),
    ended: () => program.ended,
    stop: () => program.stop(),
    kill: () => program.kill(),
  };
  return { server, printed: (pattern) => program.printed(pattern) };
}
