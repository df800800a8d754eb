import type { Database } from './database.ts';
import { text } from '../rows/row.ts';
import { encodeText } from '../rows/text-encoding.ts';

/** The first call sets the value. Later and concurrent calls return the stored value. */
export async function findOrAddSetting(
  database: Database,
  name: string,
  valueIfNew: string,
): Promise<string> {
  // Checks first, because an existing value need not be written.
  const known = await findSetting(database, name);
  if (known !== undefined) return known;
  await database.run(ADD, encodeText(name), encodeText(valueIfNew));
  return (await findSetting(database, name)) ?? valueIfNew;
}

export async function replaceSetting(database: Database, name: string, value: string): Promise<void> {
  await database.run(REPLACE, encodeText(name), encodeText(value));
}

async function findSetting(database: Database, name: string): Promise<string | undefined> {
  const row = await database.get('SELECT value FROM trunkline.settings WHERE name = $1', encodeText(name));
  return row && text(row, 'value');
}

const ADD = 'INSERT INTO trunkline.settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING';

const REPLACE = `
  INSERT INTO trunkline.settings (name, value) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
