import { globSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'vitest/config';

const PROGRAM = /new URL\(\s*(?:'([^']+\.[jt]s)'|`([^`]+\.[jt]s)`),\s*import\.meta\.url/g;

/**
 * The TypeScript and JavaScript files that a source names as `new URL('….ts', import.meta.url)`, relative to its
 * folder.
 */
export function startedPrograms(source: string, folder: string): string[] {
  return [...source.matchAll(PROGRAM)].flatMap(([, path, template]) => {
    if (path !== undefined) return [join(folder, path)];
    // For a template such as `support/${name}.ts`, take every file that matches.
    return globSync((template ?? '').replaceAll(/\$\{[^}]*\}/g, '*'), { cwd: folder }).map((name) =>
      join(folder, name),
    );
  });
}

/**
 * Makes vitest treat the programs that a test starts as its imports, so that `test --changed` and the watch mode run
 * the test when such a program changes.
 */
export function startedProgramsAreImports(): Plugin {
  return {
    name: 'started-programs-are-imports',
    enforce: 'pre',
    transform(code, id) {
      const file = id.split('?', 1)[0] ?? id;
      if (!file.endsWith('.ts') || file.includes('/node_modules/')) return undefined;
      const folder = dirname(file);
      const programs = startedPrograms(code, folder).filter((program) => !program.includes('/node_modules/'));
      if (programs.length === 0) return undefined;
      const imports = programs.map(
        (program) => `import(${JSON.stringify(`./${relative(folder, program)}`)})`,
      );
      // This function is never called. It is on the last line, so that all other lines keep their numbers.
      return { code: `${code}\nexport const startsPrograms = () => [${imports.join(', ')}];`, map: null };
    },
  };
}
