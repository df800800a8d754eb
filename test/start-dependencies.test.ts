import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Plugin, StdinOptions } from 'esbuild';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');

/** The programs of `pnpm start` and `pnpm receiver`, and those that build the dashboard. */
const PROGRAMS = [
  'examples/server/start.js',
  'examples/receiver/src/main.ts',
  'packages/dashboard/derive/build-app.ts',
  'packages/dashboard/app/src/start.ts',
];

test('`pnpm start` installs the packages that its sources import, and no others', async () => {
  const imported = await packagesImportedBy({ entryPoints: PROGRAMS });
  expect(Object.keys(manifest.dependencies).toSorted()).toEqual(imported);
});

test('A package counts even if it is imported dynamically, if only its path is resolved, or if it is behind a `#name`', async () => {
  const contents = `
    import type { TestSpecification } from 'vitest/node';
    import { resolve } from 'node:path';
    export { didYouMean } from '@trunkline/option-names';
    export const specification: TestSpecification = await import('prettier');
    createRequire(import.meta.url).resolve('publint/utils');
  `;
  const stdin = { contents, loader: 'ts', resolveDir: ROOT, sourcefile: 'planted.ts' } as const;
  // option-names imports leven.
  expect(await packagesImportedBy({ stdin })).toEqual([
    '@trunkline/option-names',
    'leven',
    'prettier',
    'publint',
  ]);
  const core = await packagesImportedBy({ entryPoints: ['packages/core/src/index.ts'] });
  expect(core).toContain('file-type');
});

interface Program {
  entryPoints?: string[];
  stdin?: StdinOptions & { readonly contents: string };
}

async function packagesImportedBy(program: Program): Promise<string[]> {
  const names = new Set<string>();
  const { metafile } = await build({
    ...program,
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    outdir: 'never-written',
    metafile: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    conditions: ['source'],
    loader: { '.svg': 'empty', '.png': 'empty' },
    plugins: [collectInto(names)],
  });
  const files = Object.keys(metafile.inputs).map((path) => join(ROOT, path));
  const sources = program.stdin
    ? [program.stdin.contents]
    : await Promise.all(files.map((file) => readFile(file, 'utf8')));
  for (const source of sources) {
    for (const [, asked = ''] of source.matchAll(
      /createRequire\(import\.meta\.url\)\.resolve\('([^']+)'\)/g,
    )) {
      names.add(packageOf(asked));
    }
  }
  return [...names].toSorted();
}

function collectInto(names: Set<string>): Plugin {
  return {
    name: 'packages',
    setup(bundler) {
      // Matches imports that are not paths, except those that this plugin is already resolving.
      bundler.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
        if (pluginData === names || from.kind === 'entry-point') return undefined;
        if (isBuiltin(path)) return { path, external: true };
        const resolved = await bundler.resolve(path, { ...from, pluginData: names });
        const [, installed] = /.*\/node_modules\/(.+)$/.exec(resolved.path) ?? [];
        if (installed !== undefined) names.add(packageOf(installed));
        else if (!path.startsWith('#')) names.add(packageOf(path));
        return installed === undefined ? resolved : { path, external: true };
      });
    },
  };
}

function packageOf(path: string): string {
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
}
