import { readFileSync } from 'node:fs';

/** The code blocks of a language in the README, in order. */
export function readmeBlocks(language: string): readonly string[] {
  const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
  return Array.from(readme.matchAll(/^```(\w+)\n(.*?)^```$/gms))
    .filter(([, name]) => name === language)
    .map(([, , code = '']) => code);
}
