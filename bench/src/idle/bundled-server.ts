import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The example server from its sources. */
export const SERVER_SOURCE: string = fileURLToPath(
  new URL('../../../examples/server/src/main.ts', import.meta.url),
);

/** Bundles the example server as it would be published: what is not loaded at the start stays in files of its own. */
export async function bundleServer(directory: string): Promise<string> {
  await build({
    entryPoints: [SERVER_SOURCE],
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    conditions: ['source'],
    // Not used by the sandbox, and made of files that a bundler cannot follow.
    external: ['@whiskeysockets/baileys'],
    // For the CommonJS modules among the dependencies: an ES module has no `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return join(directory, 'main.mjs');
}
