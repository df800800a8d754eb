import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { HISTORY_REASONS } from '../src/domain/instance/instance-history.ts';

it('docs/running.md lists every reason of an instance’s history, with what it means', async () => {
  const docs = await readFile(new URL('../../../docs/running.md', import.meta.url), 'utf8');
  const rows = Object.entries(HISTORY_REASONS).map(
    ([reason, { causedBy, meaning }]) => `| \`${reason}\` | ${causedBy} | ${meaning} |`,
  );
  const listed = docs.split('\n').filter((line) => /^\| `[a-z_]+` \| (api|gateway|service) \|/.test(line));
  expect(listed).toEqual(rows);
});
