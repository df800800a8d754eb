import type { Logger } from '@trunkline/core/spi/storage';
import type { StoredSchema } from '@trunkline/storage-kit';
import { storedSchema } from './migrate.ts';
import { checkOptions } from './options.ts';
import type { PostgresStorageOptions } from './options.ts';
import { hearErrors, makePool } from './pool.ts';
import { cannotBeUsed } from './unavailable.ts';

/**
 * Returns the version of the database's schema, without upgrading it. Throws an error with a clear message if the
 * database is out of reach, cannot be used, or was created before 0.1.0 or by a newer version.
 */
export async function postgresSchema(
  options: Pick<PostgresStorageOptions, 'schema'> & { readonly connectionString: string },
  { logger }: { readonly logger: Logger },
): Promise<StoredSchema> {
  const { schema } = checkOptions(options);
  const pool = makePool({ connectionString: options.connectionString, maxConnections: 1 });
  pool.on('error', () => undefined); // a connection may break while it is idle
  pool.on('connect', hearErrors);
  try {
    return await storedSchema({ pool, schema, logger });
  } catch (error) {
    throw cannotBeUsed(error);
  } finally {
    await pool.end();
  }
}
