import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtProgram } from '@trunkline/test-support/built-program';
import { isLongForm } from '@trunkline/test-support/long-form';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import type { End, Program } from '@trunkline/test-support/start-program';
import { runInHost } from './command-host.ts';
import { startServer, TERMINAL_PRELOAD } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export const COMMAND_LINE: string = await builtProgram(new URL('../../src/cli.ts', import.meta.url));

export interface CommandResult {
  readonly code: End;
  readonly stdout: string;
  readonly stderr: string;
}

interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Whether the command prints what it would print to a terminal, including secrets. */
  readonly isAtTerminal?: boolean;
}

export function startCommand(args: readonly string[], options: CommandOptions): Program {
  const { cwd, isAtTerminal = false } = options;
  const nodeArgs = isAtTerminal ? [`--import=${TERMINAL_PRELOAD}`] : [];
  return startNodeProgram(pathToFileURL(COMMAND_LINE), { args, nodeArgs, cwd, env: environmentOf(options) });
}

/** The developer's own environment must not affect a command. */
function environmentOf({ cwd, env = {} }: CommandOptions): Readonly<Record<string, string>> {
  return { PATH: process.env['PATH'] ?? '', HOME: cwd, ...env };
}

/** Runs a command to its end: in its own process in the long form or if necessary, otherwise in a shared process. */
export async function runCommand(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  if (!isLongForm && !needsProcess(args, options)) {
    const { cwd, input = '' } = options;
    return runInHost({ args, cwd, env: environmentOf(options), input });
  }
  const program = startCommand(args, options);
  if (options.input !== undefined) program.input(options.input);
  program.endInput();
  const code = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

/**
 * Whether a command needs its own process: a server runs until a signal arrives, and Node reads NODE_ variables when it
 * starts.
 */
function needsProcess([command]: readonly string[], { env = {} }: CommandOptions): boolean {
  return command === 'serve' || Object.keys(env).some((name) => name.startsWith('NODE_'));
}

export interface CommandHarness {
  readonly cwd: string;
  readonly server: ServerProcess;
  readonly env: Readonly<Record<string, string>>;
  run(...args: readonly string[]): Promise<CommandResult>;
  /** The parsed lines of a command that has to succeed. */
  json(...args: readonly string[]): Promise<readonly JsonResult[]>;
  /** The `data` of the only line. */
  data(...args: readonly string[]): Promise<Readonly<Record<string, unknown>>>;
}

/** Adds `--json` before `--`, which ends the options. */
function asJson(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end === -1 ? [...args, '--json'] : args.toSpliced(end, 0, '--json');
}

interface JsonResult {
  readonly data: Readonly<Record<string, unknown>>;
}

export async function startCommandHarness(
  settings: Readonly<Record<string, string>> = {},
): Promise<CommandHarness> {
  const cwd = temporaryDirectory();
  const server = await startServer({
    env: { DATA_DIR: join(cwd, 'data'), WEBHOOK_URL_POLICY: 'local', RATE_LIMIT: '0', ...settings },
    cwd,
    isAtTerminal: true,
  });
  const env = {
    TRUNKLINE_URL: server.url,
    TRUNKLINE_API_KEY: server.shownKey() ?? settings['API_KEY'] ?? '',
  };
  const run = (...args: readonly string[]): Promise<CommandResult> => runCommand(args, { cwd, env });
  const json: CommandHarness['json'] = async (...args) => {
    const { code, stdout, stderr } = await run(...asJson(args));
    if (code !== 0) throw new Error(`trunkline ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line): JsonResult => JSON.parse(line));
  };
  return {
    cwd,
    server,
    env,
    run,
    json,
    async data(...args) {
      const results = await json(...args);
      const [only] = results;
      if (only === undefined || results.length > 1) throw new Error(`There are ${results.length} results.`);
      return only.data;
    },
  };
}
