import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Imports of local files and of the module that tells the forms apart, and programs that a test starts. */
const REFERENCE =
  /(?:from|import|new URL\()\s*\(?'(\.{1,2}\/[^']+\.tsx?|programs\/[^']+\.ts|@trunkline\/test-support\/long-form)'/g;
const LONG_FORM = '@trunkline/test-support/long-form';

/**
 * The test files that `pnpm test:long` runs: those named `*.long.test.ts`, and those that reach `long-form.ts` through
 * their own package's files, which therefore do less in `pnpm test`. Paths are relative to `root`.
 */
export function longFiles(root: string, include: readonly string[]): string[] {
  const known = new Map<string, boolean>();
  const hasLongForm = (path: string): boolean => {
    const before = known.get(path);
    if (before !== undefined) return before;
    known.set(path, false); // for a cycle: another file of it decides
    if (!existsSync(path)) return false;
    const found = referencesOf(path).some((name) =>
      name === LONG_FORM ? true : hasLongForm(resolve(dirname(path), name)),
    );
    known.set(path, found);
    return found;
  };
  return globSync([...include], { cwd: root, exclude: (name) => name === 'node_modules' })
    .filter((file) => file.endsWith('.long.test.ts') || hasLongForm(resolve(root, file)))
    .toSorted();
}

function referencesOf(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(REFERENCE)].flatMap(([, name]) => name ?? []);
}
