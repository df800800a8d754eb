// Run by `pnpm settings`. Writes the settings into docs/running.md and the Helm chart. Tests check both files.
import { readFile, writeFile } from 'node:fs/promises';
import { withSettingNames } from './chart-values.ts';
import { withSettingsTable } from './settings-table.ts';

await rewrite('docs/running.md', withSettingsTable);
await rewrite('deploy/helm/trunkline/values.schema.json', withSettingNames);

async function rewrite(path: string, change: (text: string) => string): Promise<void> {
  const file = new URL(`../../../${path}`, import.meta.url);
  await writeFile(file, change(await readFile(file, 'utf8')));
}
