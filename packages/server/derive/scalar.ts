import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The script of the API's reference, in one file. Its package exports the style next to it, but not the script. */
export const SCALAR_FILE: string = join(
  dirname(createRequire(import.meta.url).resolve('@scalar/api-reference/style.css')),
  'browser/standalone.js',
);

/** The content of the package's `dist/scalar.js`, which tsup.config.ts writes. */
export const scalar = (): Promise<Buffer<ArrayBuffer>> => readFile(SCALAR_FILE);
