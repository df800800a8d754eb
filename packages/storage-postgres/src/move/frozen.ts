import { MOVE_MARK } from '@trunkline/storage-kit';
import type { Statements } from '../database/statements.ts';
import { quoted } from '../database/statements.ts';

const REFUSAL =
  'this database is being moved, or was moved, by "trunkline move": nothing in it changes any more; use the database that it was moved to';

/** Limits how long this transaction, and all that queue behind it, wait for a lock that an open transaction holds. */
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '10s'";

/**
 * Makes the database refuse changes of `TABLES` by any process, once this transaction is committed. In `settings`, the
 * move's mark can still be written, and rows can be deleted.
 */
export async function freeze(statements: Statements): Promise<void> {
  await statements.run(LOCK_TIMEOUT);
  await statements.run(MAKE_FUNCTION);
  for (const table of await tables(statements)) await statements.run(triggerOn(table));
}

/** Undoes `freeze`, if it was called. */
export async function thaw({ run }: Statements): Promise<void> {
  await run(LOCK_TIMEOUT);
  await run('DROP FUNCTION IF EXISTS trunkline.refuse_while_moved() CASCADE');
}

// The error code tells callers that the database cannot be used now.
const MAKE_FUNCTION = `
  CREATE FUNCTION trunkline.refuse_while_moved() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION '${REFUSAL}' USING ERRCODE = 'read_only_sql_transaction';
  END $$`;

function triggerOn(table: string): string {
  const [when, each] =
    table === 'settings' ? [`WHEN (coalesce(NEW.name, '') <> '${MOVE_MARK}')`, 'ROW'] : ['', 'STATEMENT'];
  const changes = table === 'settings' ? 'INSERT OR UPDATE' : 'INSERT OR UPDATE OR DELETE OR TRUNCATE';
  return `CREATE TRIGGER refuse_while_moved BEFORE ${changes} ON trunkline.${quoted(table)}
    FOR EACH ${each} ${when} EXECUTE FUNCTION trunkline.refuse_while_moved()`;
}

async function tables({ all }: Statements): Promise<readonly string[]> {
  return (await all(TABLES)).map((row) => String(row['name']));
}

/** Leaves out `schema_versions`, and the tables that processes still write when they end. */
const TABLES = `
  SELECT relname AS name FROM pg_catalog.pg_class
  WHERE relnamespace = (SELECT relnamespace FROM pg_catalog.pg_class WHERE oid = (SELECT tableoid FROM trunkline.schema_versions LIMIT 1))
    AND relkind IN ('r', 'p') AND NOT relispartition
    AND relname NOT IN ('schema_versions', 'processes', 'process_reports', 'lease_owners')
  ORDER BY relname`;
