import { readFileSync } from 'node:fs';

/** Returns a page's code blocks in a language. `page` is relative to the root of the repository. */
export function blocksOf(page: string, language: string): readonly string[] {
  const text = readFileSync(new URL(`../../../../${page}`, import.meta.url), 'utf8');
  return Array.from(text.matchAll(/^```(\w+)\n(.*?)^```$/gms))
    .filter(([, name]) => name === language)
    .map(([, , code = '']) => code);
}
