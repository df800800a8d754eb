import type { StorageDescription } from '@trunkline/core/spi/storage';
import type { Database } from './database.ts';
import { LATEST_VERSION } from './migrate.ts';
import { integer, text } from '../rows/row.ts';

export async function describeDatabase(database: Database): Promise<StorageDescription> {
  const row = await database.get(DESCRIBE);
  if (!row) throw new Error('A SELECT without FROM returned no row: check the database for damage.');
  return {
    database: `PostgreSQL ${text(row, 'version')}`,
    schemaVersion: LATEST_VERSION,
    sizeBytes: integer(row, 'size'),
  };
}

// Measures only the schema, with its indexes and TOAST, because an app may have other tables in the database.
const DESCRIBE = `
  SELECT current_setting('server_version') AS version,
    (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_catalog.pg_class
     WHERE relnamespace = (SELECT relnamespace FROM pg_catalog.pg_class
                           WHERE oid = (SELECT tableoid FROM trunkline.schema_versions LIMIT 1))
       AND relkind = 'r') AS size`;
