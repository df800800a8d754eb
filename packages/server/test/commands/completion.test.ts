import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/command-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PROGRAMS = join(import.meta.dirname, '../support/programs');
const PROGRAM = { zsh: ['-f', 'complete.zsh'], fish: ['--no-config', 'complete.fish'] } as const;

/** Completes each line in a shell, in a directory with the folder `backups` and the file `picture.png`. */
async function complete(shell: keyof typeof PROGRAM, lines: readonly string[]): Promise<readonly string[]> {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, 'backups'));
  writeFileSync(join(cwd, 'picture.png'), '');
  const script = join(temporaryDirectory(), 'script');
  writeFileSync(script, (await runCommand(['completion', shell], { cwd })).stdout);
  const [flag, program] = PROGRAM[shell];
  const args = [flag, join(PROGRAMS, program), script, ...lines];
  const env = { PATH: process.env['PATH'], HOME: temporaryDirectory(), TERM: 'dumb' };
  return execFileSync(shell, args, { cwd, encoding: 'utf8', env }).replace(/\n$/, '').split('\n');
}

/** Lines with the expected matches in an order that does not count. */
const LINES: readonly (readonly [line: string, matches: string])[] = [
  ['trunkline works', 'workspaces'],
  ['trunkline workspaces ', 'create list plan resume retention suspend'],
  ['trunkline workspaces suspend --y', '--yes'],
  ['trunkline send 15550100 --idem', '--idempotency-key'],
  ['trunkline completion b', 'bash'],
  ['trunkline messages list --status ', 'delivered failed queued read received sent'],
  ['trunkline messages list --status queued,d', 'queued,delivered'],
  ['trunkline serve --roles api,g', 'api,gateway'],
  ['trunkline keys create --scopes messages:read,webhooks:w', 'messages:read,webhooks:write'],
  ['trunkline listen --types message.re', 'message.reaction message.read message.received'],
  ['trunkline send --file pic', 'picture.png'],
  ['trunkline serve --data-dir back', 'backups/'],
  ['trunkline restore back', 'backups/'],
  ['trunkline messages download msg_1 pic', 'picture.png'],
  // The first words decide which command it is, not a later one that looks like another command.
  ['trunkline messages list --instance keys --sta', '--status'],
];

/** Without the slash of a directory, which zsh adds to the line instead. */
const words = (matches: string): readonly string[] => matches.replaceAll('/', '').split(' ').toSorted();

describe.each(['zsh', 'fish'] as const)('The completion for %s', (shell) => {
  it('completes commands, options, their values and paths', async ({ skip }) => {
    if (spawnSync(shell, ['--version']).status !== 0) return skip(`${shell} is not on the PATH`);
    const completed = await complete(
      shell,
      LINES.map(([line]) => line),
    );
    const matches = completed.map((line) => line.replace(/^.*\|/, ''));
    expect(matches.map(words)).toEqual(LINES.map(([, expected]) => words(expected)));
  });
});

it('the completion for fish offers no commands after a command', async ({ skip }) => {
  if (spawnSync('fish', ['--version']).status !== 0) return skip('fish is not on the PATH');
  expect(
    await complete('fish', ['trunkline workspaces list ', 'trunkline send keys ', 'trunkline ']),
  ).toEqual(['', '', expect.stringContaining('workspaces')]);
});
