import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The API reference's script, in one file. Its package exports the style next to the script, but not the script itself.
 */
export const SCALAR_FILE: string = join(
  dirname(createRequire(import.meta.url).resolve('@scalar/api-reference/style.css')),
  'browser/standalone.js',
);

/** The content of the package's `dist/scalar.js`, which tsup.config.ts writes. */
export const scalar = (): Promise<Buffer<ArrayBuffer>> => readFile(SCALAR_FILE);
