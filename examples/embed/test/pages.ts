import { readFileSync } from 'node:fs';

const DOCS = new URL('../../../docs/embed/', import.meta.url);

export function blocksOf(page: string, language: string): readonly string[] {
  const blocks = textOf(page).matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'));
  return Array.from(blocks, ([, code = '']) => code);
}

function textOf(page: string): string {
  return readFileSync(new URL(`${page}.md`, DOCS), 'utf8');
}

export function source(file: string): string {
  return readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8');
}

/** From the table in docs/embed/README.md: the number of the user's own lines for a page. */
export function linesInTable(page: string): number {
  const [, lines = ''] = new RegExp(`\\(${page}\\.md\\).*?\\| (\\d+) \\|`).exec(textOf('README')) ?? [];
  return Number(lines);
}

/** The user's own lines up to the first message: no comments, no blank lines, and none that match `framework`. */
export function ownLines(code: string, framework: RegExp): readonly string[] {
  const [upToTheMessage = ''] = code.split(/^ *\/\/ (?:Stops|The rest)/m);
  return upToTheMessage.split('\n').filter((line) => !/^\s*(\/\/.*)?$/.test(line) && !framework.test(line));
}
