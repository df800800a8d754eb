import { spawnSync } from 'node:child_process';
import { startProgram } from '@trunkline/test-support/start-program';
import type { Program } from '@trunkline/test-support/start-program';
import { COMMAND_LINE } from './command-process.ts';

/** The reason why terminals are unavailable here; null if they are available, or in CI, which must have them. */
export function terminalMissing(): string | null {
  const isThere = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');
  if (isThere === true) return null;
  return process.env['CI'] === undefined ? 'the command script of util-linux is not here' : null;
}

interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
}

/** Starts a command in its own terminal. Its input is typed, and its stdout has everything that the terminal shows. */
export function startInTerminal(
  args: readonly string[],
  { cwd, env = {}, columns = 120 }: TerminalOptions,
): Program {
  const command = [process.execPath, '--conditions=source', COMMAND_LINE, ...args].map(quoted).join(' ');
  return startProgram('script', {
    // Passes on the command's exit code, and prints nothing of its own. Sets the size, because prompts would otherwise
    // wrap after every character.
    args: [
      '--quiet',
      '--return',
      '--echo',
      'never',
      '--command',
      `stty cols ${columns} rows 40 && exec ${command}`,
      '/dev/null',
    ],
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, TERM: 'xterm', SHELL: '/bin/sh', ...env },
    isGroup: true,
  });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
