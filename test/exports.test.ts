import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { typesReachedFrom, readImports, readPackages } from './support/public-names.ts';
import type { Package, PublicName } from './support/public-names.ts';

const packages = readPackages();
const imports = readImports(packages);

// The diff of test/exports shows each name that is added, renamed or removed. To write the lists again:
// npx --yes pnpm@12 test test/exports.test.ts -u
describe.each(packages)('the exports of $name', (one) => {
  it('are the reviewed ones', async () => {
    await expect(listOf(one)).toMatchFileSnapshot(`exports/${listName(one)}`);
  });

  it('are imported by a file outside of its sources, or are types that such an export leads to', () => {
    expect(unusedNames(one)).toEqual([]);
  });
});

test('packages/ holds published packages, and internal/ private ones', () => {
  const isPublished = ({ entryPoints }: Package): boolean => entryPoints.some(({ isPrivate }) => !isPrivate);
  const misplaced = packages.filter((one) => isPublished(one) !== one.folder.startsWith('packages/'));
  expect(misplaced.map(({ folder }) => folder)).toEqual([]);
});

test('each package has a list of exports, and there is no other list', () => {
  expect(readdirSync(`${import.meta.dirname}/exports`).toSorted()).toEqual(packages.map(listName).toSorted());
});

function listName({ folder }: Package): string {
  return `${basename(folder)}.txt`;
}

function listOf({ entryPoints }: Package): string {
  const sections = entryPoints.map(({ specifier, names }) =>
    [specifier, ...names.map(({ name, isType }) => `  ${isType ? 'type ' : ''}${name}`)].join('\n'),
  );
  return `${sections.join('\n\n')}\n`;
}

interface Entry extends PublicName {
  readonly specifier: string;
  readonly isUsed: boolean;
}

function unusedNames(one: Package): readonly string[] {
  const entries = one.entryPoints.flatMap(({ specifier, source, isPrivate, names }): Entry[] =>
    names
      // A private entry point may be a plain module, whose own names need no user.
      .filter(({ from }) => !(isPrivate && from === source))
      .map((name) => ({
        ...name,
        specifier,
        isUsed: (imports.get(source)?.get(name.name) ?? []).some(
          (file) => !file.startsWith(`${one.folder}/src/`),
        ),
      })),
  );
  // Users of an export may have to name the types that it leads to.
  const nameable = new Set(
    entries.filter(({ isUsed }) => isUsed).flatMap((entry) => [...typesReachedFrom(entry, packages)]),
  );
  return entries
    .filter(({ name, isType, isUsed }) => !isUsed && !(isType && nameable.has(name)))
    .map(({ name, specifier }) => `${specifier}: ${name}`);
}
