import type { Pool } from 'pg';
import type { TestSchema } from './test-schema.ts';

/** Settings that change what a statement means, what its result looks like, or how long it may take. */
const SETTINGS: Readonly<Record<string, string>> = {
  array_nulls: 'off',
  backslash_quote: 'off',
  bytea_output: 'escape',
  check_function_bodies: 'off',
  client_encoding: 'LATIN1',
  DateStyle: 'SQL, DMY',
  default_transaction_deferrable: 'on',
  default_transaction_isolation: 'serializable',
  default_transaction_read_only: 'on',
  extra_float_digits: '-15',
  idle_in_transaction_session_timeout: '1ms',
  IntervalStyle: 'sql_standard',
  lock_timeout: '1ms',
  quote_all_identifiers: 'on',
  row_security: 'off',
  search_path: '',
  standard_conforming_strings: 'off',
  statement_timeout: '5s', // the storage sets 10 s
  synchronous_commit: 'off',
  TimeZone: 'Pacific/Apia',
  transaction_timeout: '5s', // since PostgreSQL 17
  transform_null_equals: 'on',
  xmlbinary: 'hex',
  xmloption: 'document',
};

/**
 * A role whose sessions begin with settings that statements must not depend on. Some settings exist only in some
 * versions.
 */
export async function createHostileRole({
  pool,
  url: superuser,
  name: schema,
}: TestSchema): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const role = `${schema}_role`;
  await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  const url = new URL(superuser);
  await pool.query(`GRANT CREATE ON DATABASE "${url.pathname.slice(1)}" TO ${role}`);
  for (const name of await known(pool))
    await pool.query(`ALTER ROLE ${role} SET ${name} = '${SETTINGS[name]}'`);
  [url.username, url.password] = [role, 'secret'];
  return {
    url: url.href,
    drop: async () => void (await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)),
  };
}

async function known(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM pg_settings WHERE name = ANY ($1)', [
    Object.keys(SETTINGS),
  ]);
  return rows.map(({ name }) => name);
}
