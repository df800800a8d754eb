import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Undefined if the npm package has none for this machine. */
function executable(...paths: readonly string[]): string | undefined {
  return paths
    .map((path) => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url)))
    .find((path) => existsSync(path));
}

export const BUN: string | undefined = executable('bun/bin/bun.exe', 'bun/bin/bun');
export const DENO: string | undefined = executable('deno/deno', 'deno/deno.exe');

export function bunArgs(program: string): readonly string[] {
  return ['--conditions=source', '-e', program];
}

export function denoArgs(program: string): readonly string[] {
  return ['eval', '--conditions=source', program];
}

export function nodeArgs(program: string): readonly string[] {
  return ['--conditions=source', '--input-type=module', '-e', program];
}
