import { readFileSync, writeFileSync } from 'node:fs';
import { onTestFinished, expect } from 'vitest';
import { startProgram } from '@trunkline/test-support/start-program';
import type { Program } from '@trunkline/test-support/start-program';
import type { OperatorsMachine } from './operators-machine.ts';
import { steadyIds } from './steady-ids.ts';

export const RUNBOOKS = new URL('../../../../docs/runbooks/', import.meta.url);

/** An operator's commands and their output: a block of a page, in which each line after `$ ` is a command. */
const BLOCK = /^```console\n([^]*?)^```$/gm;
const END_OF_COMMAND = 'the command has ended with';

/** A page of docs/runbooks, followed by an operator on a machine. */
export interface Rehearsal {
  /**
   * Types the commands of the next block, and compares their output with the page. With RECORD=1 in the environment, it
   * writes the output into the page instead.
   */
  follow(): Promise<void>;
  /** Throws if the page has a block that was not followed. */
  end(): void;
}

/**
 * `names` lists further texts that a page shows instead of the real ones. Commands get the real ones back, unless those
 * are patterns.
 */
export async function rehearse(
  name: string,
  machine: OperatorsMachine,
  names: readonly (readonly [real: string | RegExp, inPage: string])[] = [],
): Promise<Rehearsal> {
  const page = new URL(name, RUNBOOKS);
  const ids = steadyIds();
  const shell = startShell(machine);
  onTestFinished(() => shell.end());
  const typed = (command: string): Promise<string> =>
    shell.type(
      names.reduce(
        (text, [real, inPage]) => (typeof real === 'string' ? text.replaceAll(inPage, real) : text),
        machine.typed(ids.reveal(command)),
      ),
    );
  const shown = (output: string): string =>
    names.reduce(
      (text, [real, inPage]) => text.replaceAll(real, inPage),
      steady(ids.show(machine.shown(output))),
    );
  // "Every page begins in a shell with these two lines."
  for (const command of commandsIn(blocksIn(new URL('README.md', RUNBOOKS))[0] ?? ''))
    expect(await typed(command)).toBe('');
  let followed = 0;
  return {
    async follow() {
      const block = blocksIn(page)[followed];
      if (block === undefined) throw new Error(`${name} has no block ${followed + 1}.`);
      followed += 1;
      const entries: string[] = [];
      for (const command of commandsIn(block)) entries.push(`$ ${command}\n${shown(await typed(command))}`);
      const recorded = entries.join('').trimEnd() + '\n';
      if (process.env['RECORD'] === '1') writeBlock(page, followed - 1, recorded);
      else expect(recorded, `what the commands of block ${followed} of ${name} print`).toBe(block);
    },
    end() {
      expect(followed, `blocks of ${name} that were followed`).toBe(blocksIn(page).length);
    },
  };
}

function blocksIn(page: URL): readonly string[] {
  return [...readFileSync(page, 'utf8').matchAll(BLOCK)].map(([, block = '']) => block);
}

function writeBlock(page: URL, index: number, block: string): void {
  let count = 0;
  const text = readFileSync(page, 'utf8').replaceAll(BLOCK, (old) =>
    count++ === index ? `\`\`\`console\n${block}\`\`\`` : old,
  );
  writeFileSync(page, text);
}

/** Returns the commands of a block. A line that ends in a backslash continues on the next line. */
function commandsIn(block: string): readonly string[] {
  return [...block.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, command = '']) => command);
}

interface Shell {
  /** Resolves with everything printed until the command has ended. */
  type(command: string): Promise<string>;
  end(): Promise<void>;
}

/** Starts the one shell of a page, like an operator's, in which variables stay set between commands. */
function startShell({ environment, path }: OperatorsMachine): Shell {
  const program: Program = startProgram('/bin/bash', {
    args: ['--noprofile', '--norc'],
    cwd: path('/'),
    env: environment,
    isGroup: true,
  });
  let typed = 0;
  return {
    async type(command) {
      const from = program.stdout().length;
      typed += 1;
      const marker = `${END_OF_COMMAND} ${typed}`;
      program.input(`{ ${command}\n} 2>&1 </dev/null; printf '\\n%s\\n' '${marker}'\n`);
      await program.printed(new RegExp(`^${marker}$`, 'm'));
      const output = program.stdout().slice(from);
      const printed = output.slice(0, output.indexOf(`\n${marker}\n`)).trimEnd();
      return printed === '' ? '' : `${printed}\n\n`;
    },
    async end() {
      program.endInput();
      await program.kill();
    },
  };
}

function steady(text: string): string {
  return (
    text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?=Z|\+00:00)/g, '2026-11-23T03:00:00.000')
      .replaceAll(/\b\d\d:\d\d UTC/g, '03:00 UTC')
      .replaceAll(
        /"time":\d+,"pid":\d+,"hostname":"[^"]*"/g,
        '"time":1795402800000,"pid":4711,"hostname":"trunkline"',
      )
      .replaceAll(/ in \d+ ms/g, ' in 4 ms')
      // Polling may miss a status of the instance.
      .replaceAll(/^ins_\w+ is (?:connecting|qr_required)\n(?:trunkline: the QR is not drawn.*\n)?/gm, '')
      .replaceAll(/\d+ MB are free/g, '71058 MB are free')
      .replaceAll(/Node\.js [\d.]+, SQLite [\d.]+\d/g, 'Node.js 24.21.0, SQLite 3.53.4')
      .replaceAll(/\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d/g, '2026/11/23 03:00:00')
      .replaceAll(/\btrk_\w+/g, 'trk_…')
      .replaceAll(/\bwhsec_\S+/g, 'whsec_…')
      .replaceAll(/\blink_[\w-]+/g, 'link_…')
  );
}
