import { defineConfig, type Options } from 'tsup';

/** How every published package is built: ESM, one file per entry, shared code in chunks, bundled types. */
export function library(entry: string[], options: Options = {}): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry,
    format: 'esm',
    target: 'node22.19',
    splitting: true,
    sourcemap: true,
    clean: true,
    dts: true,
    removeNodeProtocol: false, // node:sqlite has no name without the prefix
    silent: true,
    ...options,
  });
}
