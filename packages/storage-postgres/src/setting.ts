import type { Database } from './database.ts';
import { text } from './row.ts';
import { encodeText } from './text-encoding.ts';

/** The first to set it wins: its value is seen by all who come later or at the same time. */
export async function findOrAddSetting(
  database: Database,
  name: string,
  valueIfNew: string,
): Promise<string> {
  await database.run(ADD, encodeText(name), encodeText(valueIfNew));
  const row = await database.get('SELECT value FROM trunkline.settings WHERE name = $1', encodeText(name));
  return row ? text(row, 'value') : valueIfNew;
}

const ADD = 'INSERT INTO trunkline.settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING';
