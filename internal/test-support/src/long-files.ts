import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { startedPrograms } from './started-programs.ts';

const LONG_FORM = '@trunkline/test-support/long-form';
const LOCAL_IMPORT = /(?:from|import) '(\.{1,2}\/[^']+\.ts)'/g;

/**
 * The test files that `pnpm test:long` runs: those named `*.long.test.ts`, and those that import `long-form.ts`,
 * directly or through local files, and therefore do less in `pnpm test`. Paths are relative to `root`.
 */
export function longFiles(root: string, include: readonly string[]): string[] {
  const known = new Map<string, boolean>();
  const hasLongForm = (path: string): boolean => {
    const before = known.get(path);
    if (before !== undefined) return before;
    known.set(path, false); // in a cycle, another file decides
    if (!existsSync(path)) return false;
    const source = readFileSync(path, 'utf8');
    const found = source.includes(`'${LONG_FORM}'`) || localFiles(source, dirname(path)).some(hasLongForm);
    known.set(path, found);
    return found;
  };
  return globSync([...include], { cwd: root, exclude: (name) => name === 'node_modules' })
    .filter((file) => file.endsWith('.long.test.ts') || hasLongForm(join(root, file)))
    .toSorted();
}

function localFiles(source: string, folder: string): string[] {
  const imports = [...source.matchAll(LOCAL_IMPORT)].map(([, path = '']) => resolve(folder, path));
  return [...imports, ...startedPrograms(source, folder)];
}
