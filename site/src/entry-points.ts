import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { ROOT } from './repository.ts';

const FOLDER = join(import.meta.dirname, 'exports');

export interface EntryPoint {
  /** The name that users import: `@trunkline/http/client`. */
  readonly name: string;
  readonly file: string;
}

/**
 * Writes a module for each name from which a published package exports TypeScript, so that TypeDoc uses the name that
 * users import: `exports/@trunkline/http/client.ts`.
 */
export function writeEntryPoints(): readonly EntryPoint[] {
  rmSync(FOLDER, { recursive: true, force: true });
  const manifests = globSync('packages/*/package.json', { cwd: ROOT }).toSorted();
  return manifests.flatMap((path) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
    if (manifest.private === true) return [];
    return Object.entries(manifest.exports ?? {}).flatMap(([entry, { source }]) => {
      if (!source?.endsWith('.ts')) return [];
      const name = posix.join(manifest.name, entry);
      const file = `${join(FOLDER, name)}.ts`;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `export * from '${relative(dirname(file), join(ROOT, dirname(path), source))}';\n`);
      return [{ name, file }];
    });
  });
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, { readonly source?: string }>>;
}
