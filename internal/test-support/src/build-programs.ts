import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The port at which the processes of the run ask for built programs. */
    programsPort: number;
  }
}

/**
 * Builds the programs that tests start often, each when the first test asks for it, because a bundle starts in less
 * than half the time of its sources. Every run builds its own bundles, and so does every further run of
 * `vitest watch`, so that no bundle is older than its sources.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const built = new Map<string, Promise<string>>();
  project.onTestsRerun(() => built.clear());

  const respond = async (socket: Socket): Promise<void> => {
    const program = await text(socket);
    const path = built.get(program) ?? buildProgram(program);
    built.set(program, path);
    const reply = await path.then(
      (value) => ({ path: value }),
      ({ message }: Error) => ({ problem: message }),
    );
    socket.end(JSON.stringify(reply));
  };
  const desk = createServer({ allowHalfOpen: true }, (socket) => void respond(socket));
  desk.listen(0, '127.0.0.1');
  await once(desk, 'listening');
  const address = desk.address();
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  project.provide('programsPort', address.port);
  return () => void desk.close();
}

/** Builds a program into a folder that resembles its package's: with the manifest and the installed dependencies. */
async function buildProgram(program: string): Promise<string> {
  const home = packageOf(program);
  const manifest = await readFile(join(home, 'package.json'), 'utf8');
  const { peerDependencies = {} } = JSON.parse(manifest) as { peerDependencies?: object }; // safe: a package.json
  // In a test run, `tmpdir()` is a directory that global-setup.ts of test-postgres removes at the end.
  const folder = await mkdtemp(join(tmpdir(), 'program-'));
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
