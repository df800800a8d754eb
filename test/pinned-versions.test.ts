import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Images without a digest, each with the reason. */
const WITHOUT_DIGEST: Readonly<Record<string, string>> = {
  'trunkline:local': 'is built on the machine that runs it',
  'nginx:1.28.3': 'has no digest that two independent public sources confirm',
  '{{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) | quote }}':
    'is chosen by those who install the chart',
};

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const filesNamed = (...patterns: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n');

/** Returns the rest of each line that begins with the word, comment included. */
const valuesAfter = (word: string, paths: readonly string[]): readonly string[] =>
  paths.flatMap((path) =>
    Array.from(read(path).matchAll(new RegExp(`^[ -]*${word} +(\\S.*)$`, 'gm')), ([, value = '']) => value),
  );

it('names each image by its tag and its digest, or has a reason why not', () => {
  const bases = valuesAfter('FROM', filesNamed('*Dockerfile')).map((from) => from.replace(/ AS \w+$/, ''));
  const images = valuesAfter('image:', filesNamed('*.yml', '*.yaml', ':!*pnpm-lock.yaml'));
  expect(bases).not.toEqual([]);
  expect(images).not.toEqual([]);
  const isPinned = (image: string): boolean => /^[\w./-]+:v?[\w.-]+@sha256:[0-9a-f]{64}$/.test(image);
  const unpinned = [...bases, ...images].filter((image) => !isPinned(image));
  expect([...new Set(unpinned)].toSorted()).toEqual(Object.keys(WITHOUT_DIGEST).toSorted());
});

it('names each action of a workflow by its commit, with the version as a comment', () => {
  const actions = valuesAfter('uses:', filesNamed('.github/workflows/*'));
  expect(actions).not.toEqual([]);
  expect(actions.filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
});
