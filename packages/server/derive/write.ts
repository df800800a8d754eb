// Writes the table of settings in docs/running.md: `pnpm settings`. A test compares the two.
import { readFile, writeFile } from 'node:fs/promises';
import { withSettingsTable } from './settings-table.ts';

const page = new URL('../../../docs/running.md', import.meta.url);
await writeFile(page, withSettingsTable(await readFile(page, 'utf8')));
