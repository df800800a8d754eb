import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The path of Scalar's script for the API reference. Its package exports the stylesheet next to the script, but not the
 * script itself.
 */
export const SCALAR_FILE: string = join(
  dirname(createRequire(import.meta.url).resolve('@scalar/api-reference/style.css')),
  'browser/standalone.js',
);

/** Returns Scalar's script. In the built package, `dist/scalar.js` (see tsup.config.ts) replaces this module. */
export const scalar = (): Promise<Buffer<ArrayBuffer>> => readFile(SCALAR_FILE);
