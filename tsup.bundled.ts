import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const OUT = 'dist/bundled';

/**
 * Writes ESM copies of CommonJS dependencies, for users who bundle their program to ESM. A bundler would keep a
 * dependency's `require('node:…')`, but an ES module has no `require`. package.json "imports" gives the copies to
 * bundlers (the condition `module`) and the dependencies themselves to everything else, so that users can update them
 * without us.
 */
export async function bundleDependencies(
  entry: Record<string, string>,
  alias: Record<string, string> = {},
): Promise<void> {
  const { metafile } = await build({
    entryPoints: entry,
    alias,
    outdir: OUT,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.19',
    legalComments: 'inline',
    metafile: true,
    plugins: [builtinsWithoutRequire],
  });
  await writeFile(join(OUT, 'LICENSES.txt'), await licences(Object.keys(metafile.inputs)));
}

/**
 * Replaces `require('node:…')` with `process.getBuiltinModule`, which needs no import and, like `require`, loads the
 * module only when it runs.
 */
export const builtinsWithoutRequire: Plugin = {
  name: 'builtins-without-require',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z0-9_:/]+$/ }, ({ path, kind }) =>
      kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'builtin' } : undefined,
    );
    onLoad({ filter: /^/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');
        if (module.exports === undefined) throw new Error('This runtime has no module ${path}.');`,
    }));
  },
};

/** Writes the licences of a bundled package next to its files, from esbuild's list of inputs. */
export async function writeLicences(metafile: string, directory: string): Promise<void> {
  const { inputs } = JSON.parse(await readFile(metafile, 'utf8'));
  await writeFile(join(directory, 'LICENSES.txt'), await licences(Object.keys(inputs)));
  await rm(metafile);
}

/** The licences of each package that a file was taken from. They must be passed on with the file. */
async function licences(inputs: readonly string[]): Promise<string> {
  const folders = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const texts: string[] = [];
  for (const folder of [...folders].toSorted()) {
    const { name, license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? `By ${author}.` : await readFile(join(folder, file), 'utf8');
    texts.push(`${name}: ${license}\n\n${text.trim()}\n`);
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
