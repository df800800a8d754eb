import type { Database } from '../database/database.ts';
import { integer } from '../rows/row.ts';

/**
 * Reserves `count` tokens in one write. Returns a function that returns the next token. Unused tokens are never given
 * out.
 */
export function takeTokens(database: Database, count: number): () => number {
  const row = database.get('UPDATE claim_tokens SET latest = latest + ? RETURNING latest', count);
  if (!row) throw new Error('The row of the table claim_tokens is missing: check the database for damage.');
  let token = integer(row, 'latest') - count;
  return () => (token += 1);
}
