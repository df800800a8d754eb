import { MOVE_MARK } from '@trunkline/storage-kit';
import type { Database } from '../database/database.ts';
import { text } from '../rows/row.ts';

const NAME = 'refuse_while_moved';
/** The tables that processes still write when they end. */
const LEFT_OPEN = ['processes', 'process_reports', 'lease_owners'];

const REFUSAL =
  'this database is being moved, or was moved, by "trunkline move": nothing in it changes any more; use the database that it was moved to';

/**
 * Makes the database refuse all changes by any process, once this transaction is committed, except changes to
 * `LEFT_OPEN` and the move's mark.
 */
export function freeze(database: Database): void {
  for (const table of tables(database)) {
    for (const change of ['INSERT', 'UPDATE', 'DELETE']) {
      database.run(`CREATE TRIGGER ${NAME}_${table}_${change} BEFORE ${change} ON ${table}
        ${table === 'settings' ? `WHEN ${change === 'DELETE' ? 'OLD' : 'NEW'}.name <> '${MOVE_MARK}'` : ''}
        BEGIN SELECT RAISE(ABORT, '${REFUSAL}'); END`);
    }
  }
}

/** Undoes `freeze`, if it was called. */
export function thaw(database: Database): void {
  const triggers = database.all(
    "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB ?",
    `${NAME}_*`,
  );
  for (const row of triggers) database.run(`DROP TRIGGER ${text(row, 'name')}`);
}

function tables(database: Database): readonly string[] {
  return database
    .all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name")
    .map((row) => text(row, 'name'))
    .filter((name) => !LEFT_OPEN.includes(name));
}
