import { createBatcher } from './batcher.ts';
import type { Connected } from './database.ts';
import type { Row } from '../rows/row.ts';

/** Finds the row with this uuid; null matches no row. */
export type LookUp = (uuid: string | null) => Promise<Row | undefined>;

/**
 * Lookups that arrive together share one statement. Every request makes some lookups, which as separate statements
 * would cost this process and PostgreSQL more than storing the content of the request.
 */
export function lookingUp(connected: Connected, table: `trunkline.${string}`): LookUp {
  const sql = `SELECT * FROM ${table} WHERE id = ANY ($1::uuid[])`;
  const batcher = createBatcher<string, Row | undefined>({
    max: 500,
    inFlight: 2,
    run: async (uuids) => {
      const rows = await connected().all(sql, [...new Set(uuids)]);
      const found = new Map(rows.map((row) => [String(row['id']), row]));
      return uuids.map((uuid) => ({ status: 'fulfilled', value: found.get(uuid) }));
    },
  });
  return async (uuid) => {
    const database = connected();
    return uuid === null ? undefined : database.track(batcher.run(uuid));
  };
}
