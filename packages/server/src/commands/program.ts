import { constants } from 'node:os';
import { Command, CommanderError, Help, Option } from 'commander';
import type { HelpConfiguration } from 'commander';
import { calledOptions } from './command.ts';
import type { CommandSpec } from './command.ts';
import { CommandError, EXIT, usageError } from '../errors/command-error.ts';
import { optionsOf, valueInfo } from './command-flags.ts';
import { COMMANDS, SUBJECTS } from './commands.ts';
import { complaintsIn, createOutput } from './output.ts';
import type { Output } from './output.ts';
import { logFormatFor } from '../telemetry/log-format.ts';

/** How long an interrupted command may take to end. */
const END_WITHIN_MS = 10_000;

/** Runs the command that the arguments name. Resolves with the exit code. */
export async function runCommandLine(args: readonly string[], version: string): Promise<number> {
  const isJson = asksForJson(args);
  const output = createOutput(isJson);
  let exitCode: number = EXIT.done;
  const program = createProgram(version, async (spec, command) => {
    exitCode = await runCommand(spec, command, isJson);
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done; // help, version
    if (error instanceof CommanderError && error.code === 'commander.help') return EXIT.usage; // the help is printed
    const isUsage = error instanceof CommanderError;
    const shown = isUsage ? usageError(sentence(error.message)) : error;
    if (COMMANDS.some(({ name, isServer }) => isServer === true && name === args[0]))
      await reportServerError(shown, output);
    else output.error(shown);
    return isUsage ? EXIT.usage : EXIT.failed;
  }
}

/** If the log is text, prints the error as any command does; otherwise loads the log and writes to it. */
async function reportServerError(error: unknown, output: Output): Promise<void> {
  const logFormat = logFormatFor(process.env['LOG_FORMAT'], process.stderr);
  if (logFormat === 'text') output.error(error);
  else
    (await import('../start/failed-start.ts')).reportFailedStart(error, {
      complaints: complaintsIn(error),
      logFormat,
    });
}

/**
 * Looks for `--json` before parsing, so that even the error of a misspelt command is JSON. Skips the values of options.
 */
function asksForJson(args: readonly string[]): boolean {
  const withValue = new Set(
    COMMANDS.flatMap((spec) => Object.keys(optionsOf(spec)))
      .filter((flags) => flags.includes(' '))
      .map((flags) => flags.split(' ')[0]),
  );
  for (let index = 0; index < args.length && args[index] !== '--'; index++) {
    if (args[index] === '--json') return true;
    if (withValue.has(args[index])) index += 1;
  }
  return false;
}

/** The program with every command. `run` is called with the command that the parsed arguments name. */
export function createProgram(
  version: string,
  run: (spec: CommandSpec, command: Command) => Promise<void>,
): Command {
  const program = configured(new Command('trunkline'))
    .description('The Trunkline server and what its operators do with it.')
    .version(version, '-v, --version', 'prints the version')
    .helpCommand('help [command]', 'explains a command')
    .addHelpText(
      'after',
      '\n"trunkline <command> --help" explains a command. docs/command-line.md has the exit codes.',
    );
  const subjects = new Map<string, Command>();
  const specs = new Map<Command, CommandSpec>();
  for (const spec of COMMANDS) {
    const [subject = '', name] = spec.name.split(' ');
    let parent = program;
    if (name !== undefined) {
      parent =
        subjects.get(subject) ?? configured(program.command(subject)).description(SUBJECTS[subject] ?? '');
      subjects.set(subject, parent);
    }
    specs.set(addCommand(parent, name ?? subject, spec, run), spec);
  }
  // Comes last, because commands inherit configuration that is set before they are added.
  return program.configureHelp({ formatHelp: (command, helper) => helpOfAll(specs, command, helper) });
}

/** Formats the program's help: every command, subcommands included, below the heading of its group. */
function helpOfAll(specs: ReadonlyMap<Command, CommandSpec>, program: Command, helper: Help): string {
  const inGroups: HelpConfiguration = {
    visibleCommands: () => [...specs.keys()],
    subcommandTerm: (command) => specs.get(command)?.name ?? command.name(),
    groupItems: (_all, visible, headingOf) =>
      Map.groupBy(visible, (item) => {
        const spec = item instanceof Command ? specs.get(item) : undefined;
        return spec === undefined ? headingOf(item) : `${spec.group}:`;
      }),
  };
  return Help.prototype.formatHelp.call(Object.assign(helper, inGroups), program, helper);
}

function addCommand(
  parent: Command,
  name: string,
  spec: CommandSpec,
  run: (spec: CommandSpec, command: Command) => Promise<void>,
): Command {
  const command = configured(parent.command(name)).description(spec.summary).allowExcessArguments(false);
  for (const [argument, meaning] of Object.entries(spec.arguments ?? {}))
    command.argument(argument, valueInfo(meaning).meaning);
  for (const [flags, meaning] of Object.entries(optionsOf(spec)))
    command.addOption(new Option(flags, valueInfo(meaning).meaning));
  const [title, ...lines] = [spec.examples.length === 1 ? 'Example:' : 'Examples:', ...spec.examples];
  command.addHelpText('after', ['', title, ...lines.map((line) => `  ${line}`)].join('\n'));
  return command.action(() => run(spec, command));
}

/** Keeps commander from printing errors and from ending the process. */
function configured(command: Command): Command {
  return command
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .helpOption('-h, --help', 'explains the command')
    .helpCommand(false);
}

async function runCommand(spec: CommandSpec, command: Command, isJson: boolean): Promise<number> {
  const output = createOutput(isJson);
  const interruption = new AbortController();
  const names = Object.keys(spec.arguments ?? {}).map((name) => name.slice(1, -1));
  const values = new Map(names.map((name, index) => [name, command.args[index]]));
  const options = calledOptions(
    new Map(
      command.options.map((option): [string, unknown] => [
        option.long?.slice(2) ?? '',
        command.getOptionValue(option.attributeName()),
      ]),
    ),
  );
  let ending: NodeJS.Signals | null = null;
  if (spec.isServer !== true)
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        if (ending !== null) process.exit(128 + constants.signals[signal]);
        ending = signal;
        interruption.abort(
          new CommandError('Interrupted: the same command continues where that is possible.', {
            code: 'INTERRUPTED',
          }),
        );
        setTimeout(() => process.exit(128 + constants.signals[signal]), END_WITHIN_MS).unref();
      });
  const interrupted = (): number | null => (ending === null ? null : 128 + constants.signals[ending]);
  try {
    refuseEmpty(values);
    const handler = await spec.load();
    await handler({
      argument: (name) => values.get(name) ?? '',
      options,
      output,
      environment: process.env,
      signal: interruption.signal,
    });
    return interrupted() ?? EXIT.done;
  } catch (error) {
    if (spec.isServer === true) await reportServerError(error, output);
    else output.error(ending === null ? error : interruption.signal.reason);
    return interrupted() ?? (error instanceof CommandError ? error.exitCode : EXIT.failed);
  }
}

/**
 * Refuses empty arguments, which come from unset variables in a script, so that they never mean the current folder or a
 * new instance.
 */
function refuseEmpty(values: ReadonlyMap<string, string | undefined>): void {
  for (const [name, value] of values) if (value === '') throw usageError(`<${name}> must not be empty.`);
}

/** Turns Commander's `error: unknown option '--prot'` into a sentence. */
function sentence(message: string): string {
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n');
  const text = [
    `${first.charAt(0).toUpperCase()}${first.slice(1)}`,
    ...rest.map((line) => line.replace(/^\(|\)$/g, '')),
  ].join('. ');
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
