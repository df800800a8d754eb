import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/one-message.md'), 'utf8');

/** Each step first names its file, then the functions in it, as `name()`. */
const stepsOf = (page: string) =>
  Array.from(
    page.matchAll(
      /^(\d+)\. (?:SQLite: |PostgreSQL: )?\[([^\]]+)\]\(\.\.\/([^)]+)\)((?:.*\n(?! *\d+\. |#))*.*)/gm,
    ),
    ([, number = '', name = '', path = '', text = '']) => ({
      number: Number(number),
      name,
      path,
      functions: Array.from(text.matchAll(/`(\w+)\(\)`/g), ([, found = '']) => found),
    }),
  );
const STEPS = stepsOf(PAGE);

test('docs/one-message.md walks one message in at most 30 files, each of which exists', () => {
  expect(STEPS.map(({ number }) => number)).toEqual(STEPS.map((_, index) => index + 1));
  expect(STEPS.length).toBeGreaterThan(20);
  expect(STEPS.map(({ name }) => name)).toEqual(STEPS.map(({ path }) => path));
  const paths = new Set(STEPS.map(({ path }) => path));
  expect(paths.size).toBe(STEPS.length);
  expect(paths.size).toBeLessThanOrEqual(30);
  expect([...paths].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  // Each file is named only at its step: in the text of the link and in its target.
  expect(PAGE.match(/[\w/-]+\.ts\b/g)).toHaveLength(2 * paths.size);
});

const missingIn = (steps: ReturnType<typeof stepsOf>): readonly string[] =>
  steps.flatMap(({ path, functions }) => {
    if (!existsSync(join(ROOT, path))) return [path];
    const text = readFileSync(join(ROOT, path), 'utf8');
    return functions
      .filter((name) => !new RegExp(String.raw`\b${name}\b\s*[(<]`).test(text))
      .map((name) => `${path}: ${name}`);
  });

test('docs/three-walks.md names files and functions that exist, on both databases', () => {
  const walks = readFileSync(join(ROOT, 'docs/three-walks.md'), 'utf8').split('\n## ').slice(1);
  expect(walks).toHaveLength(3);
  for (const walk of walks) {
    const steps = stepsOf(walk);
    expect(steps.map(({ number }) => number)).toEqual(steps.map((_, index) => index + 1));
    expect(steps.map(({ name }) => name)).toEqual(steps.map(({ path }) => path));
    expect(missingIn(steps)).toEqual([]);
    for (const storage of ['storage-sqlite', 'storage-postgres'])
      expect(steps.some(({ path }) => path.includes(storage))).toBe(true);
  }
});

test('docs/one-message.md names functions that exist in their files', () => {
  expect(missingIn(STEPS)).toEqual([]);
  expect(STEPS.filter(({ functions }) => functions.length > 0).length).toBeGreaterThan(20);
});
