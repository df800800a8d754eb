import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const START_AGAIN_MS = 1_000;
/** How long a process may take to end cleanly before it is killed. */
const STOP_WITHIN_MS = 35_000;

export interface ProcessOptions {
  readonly name: string;
  readonly program: URL;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Matches the output line that shows that the program is ready. `ready` and `onReady` get its first group. */
  readonly readyLine: RegExp;
  /** Called after each start, once the program is ready. */
  readonly onReady?: (found: string) => void;
  /** Called with each line of output except those that `readyLine` matches, and when the program dies. */
  readonly onLine: (line: string) => void;
}

export interface ManagedProcess {
  readonly name: string;
  /** Undefined while no process runs. */
  readonly pid: () => number | undefined;
  /** Resolves when the program is first ready; rejects if it ends before that. */
  readonly ready: Promise<string>;
  /** Stops the program for good, if necessary by killing it. */
  stop(): Promise<void>;
}

export function manageProcess(options: ProcessOptions): ManagedProcess {
  const { name, onLine, onReady } = options;
  let isStopping = false;
  let child: ChildProcess | undefined;
  let again: NodeJS.Timeout | undefined;
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>();
  ready.catch(() => undefined); // callers that await `ready` get the error

  const start = (): void => {
    const started = spawnProgram(options);
    child = started;
    const look = (line: string): void => {
      const found = options.readyLine.exec(line)?.[1];
      if (found === undefined) return onLine(line);
      onReady?.(found);
      return resolve(found);
    };
    eachLine(started.stdout, look);
    eachLine(started.stderr, onLine);
    started.once('exit', (code, signal) => {
      child = undefined;
      if (isStopping) return;
      onLine(`ended (${signal ?? code}) and is started again`);
      reject(new Error(`${name} could not be started: its lines above say why.`));
      again = setTimeout(start, START_AGAIN_MS);
    });
  };
  start();

  return {
    name,
    pid: () => child?.pid,
    ready,
    async stop() {
      isStopping = true;
      clearTimeout(again);
      if (!child) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const kill = setTimeout(() => child?.kill('SIGKILL'), STOP_WITHIN_MS);
      await ended;
      clearTimeout(kill);
    },
  };
}

function spawnProgram({ name, program, env }: ProcessOptions): ChildProcess {
  return spawn(process.execPath, ['--conditions=source', program.pathname], {
    env: { ...process.env, ...env, PROCESS_NAME: name },
    // A Ctrl-C must reach only this process, which ends the programs in order. If it dies, their IPC channel closes.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

function eachLine(stream: Readable | null, notify: (line: string) => void): void {
  if (stream) createInterface({ input: stream }).on('line', notify);
}
