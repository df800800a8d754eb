import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { clearTimeout, setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { HANG_MS } from './waiting.ts';

/** The exit code of a process, or the signal that ended it; null if it could not be started. */
export type End = number | NodeJS.Signals | null;

export interface ProgramOptions {
  readonly args?: readonly string[];
  /** The whole environment of the program; by default, that of the tests. */
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  readonly cwd?: string | URL;
  /** Whether the program exchanges messages: `send` and `nextMessage`. */
  readonly hasChannel?: boolean;
  /**
   * Whether the program's child processes are killed with it, because a file in node_modules/.bin may be a script that
   * starts the program.
   */
  readonly isGroup?: boolean;
}

export interface Program {
  readonly pid: number | undefined;
  /** The program's stdout so far. */
  stdout(): string;
  stderr(): string;
  /** stdout and stderr so far, in the order of arrival. */
  output(): string;
  /**
   * The lines of the program's stdout, as they come. Call this right after the start, or the first lines may be
   * missing.
   */
  lines(): AsyncIterableIterator<string>;
  /**
   * Resolves with the first match in the complete lines of the program's output, now or later. Rejects with all of the
   * output if the program ends without a match, or after `withinMs`.
   */
  printed(pattern: RegExp, withinMs?: number): Promise<RegExpExecArray>;
  send(message: object | number): void;
  /** The next message that the program sends. Rejects if the program ends first. */
  nextMessage(): Promise<unknown>;
  disconnect(): void;
  input(text: string): void;
  endInput(): void;
  signal(name: NodeJS.Signals): void;
  /** Resolves when the program has ended and all its output has arrived. */
  readonly ended: Promise<End>;
  /** Sends SIGTERM, and waits for the end. */
  stop(): Promise<End>;
  /** Sends SIGKILL, and waits for the end. */
  kill(): Promise<void>;
}

/**
 * Node's compile cache, which halves the cost of a start. Computed before a test can change the temporary directory.
 */
const COMPILE_CACHE = join(tmpdir(), 'trunkline-compile-cache');

const running = new Set<() => void>();

// Kills the programs that failed tests have left running.
afterAll(() => {
  for (const end of running) end();
});

/**
 * Starts a TypeScript program, or its built file, on this Node. The program is killed after the tests of the file, if
 * not before.
 */
export function startNodeProgram(
  program: URL | string,
  { args = [], nodeArgs = [], env = process.env, ...options }: ProgramOptions & NodeOptions = {},
): Program {
  return startProgram(process.execPath, {
    ...options,
    args: [
      '--conditions=source',
      ...nodeArgs,
      typeof program === 'string' ? program : fileURLToPath(program),
      ...args,
    ],
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
  });
}

interface NodeOptions {
  readonly nodeArgs?: readonly string[];
}

/** Starts any program. The program is killed after the tests of the file, if not before. */
export function startProgram(
  command: string,
  { args = [], env = process.env, cwd, hasChannel = false, isGroup = false }: ProgramOptions = {},
): Program {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe', ...(hasChannel ? (['ipc'] as const) : [])],
    detached: isGroup,
  });
  const kill = (): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    if (isGroup) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  };
  running.add(kill);
  child.stdin?.on('error', () => {}); // the program has ended, which `ended` reports
  const printed = { stdout: '', stderr: '', both: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      printed.both += text;
      for (const listener of listeners) listener();
    });
  }
  let end: End | undefined;
  const ended = endOf(child).then((how) => {
    running.delete(kill);
    end = how;
    for (const listener of listeners) listener();
    return how;
  });

  return {
    pid: child.pid,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    output: () => printed.both,
    lines() {
      if (child.stdout === null) throw new Error('The output of the program is not piped.');
      return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    },
    printed(pattern, withinMs = HANG_MS) {
      return new Promise((resolve, reject) => {
        const finish = (): void => {
          clearTimeout(timer);
          listeners.delete(look);
        };
        const fail = (what: string): void => {
          finish();
          reject(new Error(`${command} ${args.join(' ')} ${what} it printed ${pattern}: ${printed.both}`));
        };
        const look = (): void => {
          const found = pattern.exec(wholeLines(printed.both));
          if (found === null) return end === undefined ? undefined : fail(`ended (${end}) before`);
          finish();
          resolve(found);
        };
        const timer = setTimeout(() => fail(`ran for ${withinMs} ms before`), withinMs);
        listeners.add(look);
        look();
      });
    },
    send: (message) => void child.send(message),
    async nextMessage() {
      const tooEarly = ended.then((how) => {
        throw new Error(`${command} ${args.join(' ')} ended (${how}) without a message: ${printed.both}`);
      });
      const [message] = await Promise.race([once(child, 'message'), tooEarly]);
      return message;
    },
    disconnect() {
      if (child.connected) child.disconnect();
    },
    input: (text) => void child.stdin?.write(text),
    endInput: () => void child.stdin?.end(),
    signal: (name) => void child.kill(name),
    ended,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    async kill() {
      kill();
      await ended;
    },
  };
}

/** Waits for the exit and the outputs, because the process's 'close' never comes after a disconnect from this side. */
async function endOf(child: ChildProcess): Promise<End> {
  const outputs = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const exit = new Promise<End>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal));
    child.once('error', () => resolve(null));
  });
  const [end] = await Promise.all([exit, ...outputs.map((stream) => once(stream, 'close'))]);
  return end;
}

function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf('\n') + 1);
}
