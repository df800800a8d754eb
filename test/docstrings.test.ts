import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { readPackages, undocumentedIn } from './support/public-names.ts';

const packages = readPackages();

/** Entry points whose users read the code anyway: authors of adapters, and their tests. */
const OTHERS = /\/spi|\/sandbox$|-contract|storage-kit|storage-postgres$|^@trunkline\/dashboard$|^trunkline$/;

const entryPoints = packages
  .flatMap((one) => one.entryPoints)
  .filter(({ isPrivate, specifier }) => !isPrivate && !OTHERS.test(specifier));

// Editors show the comment of a name. Say what it does, in which unit, what null means, and which errors there are.
describe.each(entryPoints)('$specifier', (entryPoint) => {
  it('has a comment for every name and every member', () => {
    expect(undocumentedIn(entryPoint, packages)).toEqual([]);
  });
});

test('a missing comment is found in a public type, and in a private one that it mentions', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'docstrings-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const source = relative('.', join(folder, 'index.ts'));
  await writeFile(
    source,
    `
    export interface Options extends Inherited {
      /** The first. */
      readonly first: { readonly nested: string };
      second(options: {
        /** Told. */
        readonly told: true;
        readonly untold: true;
      }): void;
    }
    interface Inherited { readonly inherited: string }
    /** Described. */
    export type Described = Own | Options;
    type Own = { readonly own: string };
    `,
  );
  const names = ['Options', 'Described'].map((name) => ({ name, isType: true, from: source }));
  const entryPoint = { specifier: 'example', source, isPrivate: false, names };
  const found = undocumentedIn(entryPoint, [{ name: 'example', folder, entryPoints: [entryPoint] }]);
  expect(found.map((line) => line.replace(/.*: /, ''))).toEqual([
    'Options',
    'Inherited.inherited',
    'Options.first.nested',
    'Options.second',
    'Options.second.untold',
    'Own.own',
  ]);
});
