import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { stateMachinesPage } from '../derive/state-machines.ts';

test('docs/state-machines.md shows what the state machines do; if not, `pnpm diagrams` draws it again', async () => {
  const page = new URL('../../../docs/state-machines.md', import.meta.url);
  expect(await readFile(page, 'utf8')).toBe(stateMachinesPage());
});
