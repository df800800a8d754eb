import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Options } from 'tsup';

const refuseOldNode = fileURLToPath(new URL('internal/node-version/src/refuse-old-node.js', import.meta.url));

const CHECK = "import '#node-version';";

/** How every published package is built: ESM, one file per entry, shared code in chunks, bundled types. */
export function library(entry: string[], options: Options = {}): ReturnType<typeof defineConfig> {
  const named = entry.map((path) => [path.replace(/^src\/(.*)\.ts$/, '$1'), path]);
  return defineConfig({
    entry: { ...Object.fromEntries(named), 'node-version': refuseOldNode },
    format: 'esm',
    target: 'node22.19',
    splitting: true,
    sourcemap: true,
    clean: true,
    dts: { entry: Object.fromEntries(named) },
    // Comes before every other import, and is not bundled, so that the check is evaluated first. It would not run if an
    // import could not be linked (a name that an old Node lacks), so packages have no such imports.
    banner: { js: CHECK },
    external: [/^#/], // resolved when the package is loaded or bundled (package.json "imports")
    removeNodeProtocol: false, // node:sqlite has no name without the prefix
    silent: true,
    ...options,
  });
}

/**
 * If Node is too old, makes a command print one line and exit. An import that throws would print the minified code and
 * a stack, which suits only programs that import the package. `file` must import everything else dynamically.
 */
export function refusalInOneLine(file: string, command: string): NonNullable<Options['plugins']>[number] {
  const inOneLine = `try {
  await import('#node-version');
} catch (error) {
  console.error('${command}: ' + error.message);
  process.exit(1);
}`;
  return {
    name: 'refusal-in-one-line',
    renderChunk(code, { path }) {
      if (basename(path) !== file) return undefined;
      if (!code.includes(CHECK)) throw new Error(`${file} does not begin with ${CHECK}`);
      return { code: code.replace(CHECK, inOneLine) };
    },
  };
}
