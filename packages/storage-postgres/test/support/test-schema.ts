import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { sharedPostgres } from '@trunkline/test-postgres';

/** A separate schema in the Postgres that the tests share. */
export interface TestSchema {
  readonly url: string;
  readonly name: string;
  /** Plain connections to the database, like those of another process. */
  readonly pool: Pool;
  /** Deletes all rows, so that the next test finds the schema as if newly created. */
  empty(): Promise<void>;
  drop(): Promise<void>;
}

/** Names a schema for a storage to create. */
export async function nameSchema(): Promise<TestSchema> {
  const url = await sharedPostgres();
  const name = `test_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  const pool = new Pool({ connectionString: url, max: 20, idleTimeoutMillis: 0 });
  pool.on('error', () => undefined); // a test may end its connections
  let deletions = '';
  return {
    url,
    name,
    pool,
    async empty() {
      // Empty until a storage has made the tables.
      deletions ||= (await tablesOf(pool, name)).map((table) => `DELETE FROM ${table}`).join(';');
      await pool.query(deletions);
    },
    async drop() {
      await pool.query(`DROP SCHEMA IF EXISTS "${name}" CASCADE`);
      await pool.end();
    },
  };
}

async function tablesOf(pool: Pool, schema: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p') AND NOT relispartition
       AND relname <> 'schema_versions'`,
    [schema],
  );
  return rows.map(({ name }) => name);
}
