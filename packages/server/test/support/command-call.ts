import { calledOptions } from '../../src/commands/command.ts';
import { CommandError } from '../../src/errors/command-error.ts';
import { COMMANDS } from '../../src/commands/commands.ts';
import { createOutput } from '../../src/commands/output.ts';

export interface CommandCall {
  readonly name: string;
  readonly args?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, string | boolean>>;
}

export interface CallOutcome {
  readonly stdout: string;
  readonly stderr: string;
  /** Null if the command succeeded. */
  readonly error: unknown;
}

interface CallContext {
  readonly environment: Readonly<Record<string, string>>;
  readonly isJson?: boolean;
  readonly isTerminal?: boolean;
  readonly signal?: AbortSignal;
}

/** Runs a command in this process, for thousands of cases. `command-process.ts` starts a process for each command. */
export async function callCommand(
  { name, args = {}, options = {} }: CommandCall,
  { environment, isJson = false, isTerminal = false, signal }: CallContext,
): Promise<CallOutcome> {
  const spec = COMMANDS.find((one) => one.name === name);
  if (spec === undefined) throw new Error(`There is no command ${name}.`);
  const printed = { stdout: '', stderr: '' };
  const stream = (which: 'stdout' | 'stderr') => ({
    isTTY: isTerminal,
    write(text: string | Uint8Array): boolean {
      printed[which] += String(text);
      return true;
    },
  });
  const streams = { stdin: { isTTY: isTerminal }, stdout: stream('stdout'), stderr: stream('stderr') };
  const output = createOutput(isJson, streams, environment);
  try {
    const handler = await spec.load();
    await handler({
      argument: (argument) => args[argument] ?? '',
      options: calledOptions(new Map(Object.entries(options))),
      output,
      environment,
      signal: signal ?? new AbortController().signal,
    });
    return { ...printed, error: null };
  } catch (error) {
    output.error(error);
    return { ...printed, error };
  }
}

/** Undefined if the error is not a CommandError, which indicates a bug. */
export function exitCodeOf({ error }: CallOutcome): number | undefined {
  if (error === null) return 0;
  return error instanceof CommandError ? error.exitCode : undefined;
}
