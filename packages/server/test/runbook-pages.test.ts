import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { optionsOf } from '../src/commands/command-flags.ts';
import { COMMANDS } from '../src/commands/commands.ts';
import { RUNBOOKS } from './support/runbook.ts';

describe('Every runbook', () => {
  const pages = readdirSync(RUNBOOKS).filter((name) => name !== 'README.md');
  const read = (name: string): string => readFileSync(new URL(name, RUNBOOKS), 'utf8');

  it('is in the list by symptom', () => {
    const linked = [...read('README.md').matchAll(/^\| .*\]\(([\w-]+\.md)\) \|$/gm)].map(
      ([, name = '']) => name,
    );
    expect(linked.toSorted()).toEqual(pages.toSorted());
  });

  it.for(pages)('uses existing commands and options: %s', (name) => {
    const typed = [...read(name).matchAll(/(?<=[`$] ?)trunkline ((?:[a-z]+(?:-[a-z]+)*\b)[^`\n|]*)/g)]
      .map(([, words = '']): readonly string[] => words.split(' '))
      .filter(([first]) => COMMANDS.some((spec) => spec.name.split(' ')[0] === first));
    for (const [first = '', second = '', ...rest] of typed) {
      const spec =
        COMMANDS.find((one) => one.name === `${first} ${second}`) ??
        COMMANDS.find((one) => one.name === first);
      const options = Object.keys(optionsOf(spec ?? unknown(`${first} ${second}`)));
      for (const word of [second, ...rest].filter((one) => one.startsWith('--')))
        expect(
          options.map((flags) => flags.split(' ')[0]),
          `${first} ${second}`,
        ).toContain(word.replace(/[.,;:)]$/, ''));
    }
  });

  it.for(pages)('is one screen, with the same parts in the same order: %s', (name) => {
    const headings = [...read(name).matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(headings).toEqual([
      'You see',
      'It means',
      'Type',
      'It is over when',
      'If not',
      'Cannot be got back',
    ]);
    expect(read(name).split('\n').length).toBeLessThan(100);
  });
});

function unknown(command: string): never {
  throw new Error(`There is no command ${command}.`);
}
