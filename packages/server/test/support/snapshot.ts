import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Hashes every file below a directory. The result is the same before and after if nothing was written. */
export function snapshot(directory: string): Record<string, string> {
  const entries = readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(
    entries.map((name) => {
      const path = join(directory, name);
      const isDirectory = statSync(path).isDirectory();
      return [
        name,
        isDirectory ? 'a directory' : createHash('sha256').update(readFileSync(path)).digest('hex'),
      ];
    }),
  );
}
