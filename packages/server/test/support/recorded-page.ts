import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';

/**
 * Compares a recording with the block of a page that `<!-- recording: <name> -->` marks. With RECORD=1 in the
 * environment, writes the recording into the page instead.
 */
export function expectRecorded(page: URL, name: string, recording: string): void {
  const text = readFileSync(page, 'utf8');
  const begin = `<!-- recording: ${name} -->\n\`\`\`text\n`;
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf('```\n<!-- end of recording -->', from);
  if (!text.includes(begin) || to === -1)
    throw new Error(`${page.pathname} has no block of the recording ${name}.`);
  if (process.env['RECORD'] === '1') writeFileSync(page, text.slice(0, from) + recording + text.slice(to));
  else expect(text.slice(from, to)).toBe(recording);
}
