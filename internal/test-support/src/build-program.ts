import { existsSync } from 'node:fs';
import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';

/**
 * Bundles a program, as published programs are, into a new folder that resembles its package's: with the manifest and
 * the installed dependencies. Returns the path of the bundle.
 */
export async function buildProgram(program: string, within = tmpdir()): Promise<string> {
  const home = packageOf(program);
  const manifest = await readFile(join(home, 'package.json'), 'utf8');
  const { peerDependencies = {} } = JSON.parse(manifest) as { peerDependencies?: object }; // safe: a package.json
  // In a test run, `tmpdir()` is a directory that global-setup.ts of test-postgres removes at the end.
  const folder = await mkdtemp(join(within, 'program-'));
  await writeFile(join(folder, 'package.json'), manifest);
  await symlink(join(home, 'node_modules'), join(folder, 'node_modules'));
  const name = relative(home, program).replace(/\.[jt]s$/, '');
  await build({
    absWorkingDir: home,
    entryPoints: { [name]: program },
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: `node${process.versions.node}`,
    conditions: ['source'],
    // Peer dependencies may not be installed, so they are resolved when the program runs.
    external: Object.keys(peerDependencies),
    plugins: [derivedInPlace],
    banner: {
      js: "import { createRequire as requireIn } from 'node:module'; const require = requireIn(import.meta.url);",
    },
    logLevel: 'silent', // a failure is thrown
  });
  return join(folder, `${name}.js`);
}

function packageOf(path: string): string {
  const parent = dirname(path);
  if (existsSync(join(parent, 'package.json'))) return parent;
  if (parent === path) throw new Error('A program has to be in a package.');
  return packageOf(parent);
}

/** Modules of `derive/` read the files next to them, so they are loaded from their own folder. */
const derivedInPlace: Plugin = {
  name: 'derived-in-place',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^#/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === derivedInPlace) return undefined;
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: derivedInPlace });
      return dirname(found.path).endsWith('/derive')
        ? { path: pathToFileURL(found.path).href, external: true }
        : found;
    });
  },
};
