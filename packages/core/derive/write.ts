// Writes docs/state-machines.md (`pnpm diagrams`). A test fails if the page is out of date.
import { writeFile } from 'node:fs/promises';
import { stateMachinesPage } from './state-machines.ts';

await writeFile(new URL('../../../docs/state-machines.md', import.meta.url), stateMachinesPage());
