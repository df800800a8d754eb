import { usageError } from '../errors/command-error.ts';
import type { Output } from './output.ts';

/** The headings in the program's help, which lists them in the order of their first use in COMMANDS. */
type CommandGroup =
  | 'Server'
  | 'Backups, moves and the secret key'
  | 'Workspaces, API keys and members'
  | 'Privacy'
  | 'Instances'
  | 'Groups'
  | 'Messages'
  | 'Webhooks'
  | 'Events'
  | 'This machine';

/** A command as its help describes it. Its code is loaded only when the command runs. */
export interface CommandSpec {
  /** The one or two words of the command, such as `workspaces create`. */
  readonly name: string;
  readonly group: CommandGroup;
  readonly summary: string;
  /** The arguments by their names in the help: `<id>` is required, `[id]` is optional. */
  readonly arguments?: Readonly<Record<string, Meaning>>;
  /** The options by their names in the help, such as `--limit <count>`. */
  readonly options?: Readonly<Record<string, Meaning>>;
  readonly examples: readonly [string, ...string[]];
  /** Whether the command works on the database in the settings, on a service at a URL, or on neither. */
  readonly on: 'database' | 'service' | 'nothing';
  /** Whether the command asks for confirmation before it changes anything. `--yes` skips the question. */
  readonly asks?: boolean;
  /** Whether the command takes every setting except secrets as a flag, not only the location of the database. */
  readonly takesSettings?: boolean;
  /** Whether the command is the server, which handles signals itself and logs its errors. */
  readonly isServer?: boolean;
  load(): Promise<CommandHandler>;
}

/** The help text of an argument or an option. */
export type Meaning = string | ValueInfo;

/** A help text, and the values that shells complete; `values` is empty unless the list of values is closed. */
export interface ValueInfo {
  readonly meaning: string;
  readonly values: readonly string[];
  /** Whether several values may be given, comma-separated. */
  readonly isList?: boolean;
}

export type CommandHandler = (call: Call) => Promise<void>;

export interface Call {
  /** Returns the argument `<name>` or `[name]`; empty if it was omitted. */
  argument(name: string): string;
  readonly options: CalledOptions;
  readonly output: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted when SIGINT or SIGTERM asks the command to end. */
  readonly signal: AbortSignal;
}

export interface CalledOptions {
  /** The name has no leading dashes: `data-dir`. */
  text(name: string): string | undefined;
  flag(name: string): boolean;
  /** The entries of a comma-separated list. */
  list(name: string): readonly string[] | undefined;
  /** Throws a usage error if the value is not a whole number within `limits`. */
  whole(name: string, limits: { readonly min: number; readonly max: number }): number | undefined;
}

export function calledOptions(given: ReadonlyMap<string, unknown>): CalledOptions {
  const text = (name: string): string | undefined => {
    const value = given.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    text,
    flag: (name) => given.get(name) === true,
    list: (name) =>
      text(name)
        ?.split(',')
        .map((entry) => entry.trim()),
    whole(name, { min, max }) {
      const value = text(name);
      if (value === undefined) return undefined;
      const number = Number(value);
      if (/^\d{1,15}$/.test(value) && number >= min && number <= max) return number;
      throw usageError(`--${name} must be a whole number from ${min} to ${max}.`);
    },
  };
}
