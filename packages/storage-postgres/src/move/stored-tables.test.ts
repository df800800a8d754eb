import { describe, expect, it } from 'vitest';
import { MOVED_TABLE_NAMES, movedTable } from '@trunkline/storage-kit';
import { unaccountedColumns } from '@trunkline/test-support';
import { openStorage, temporarySchema } from '../../test/support/open-storage.ts';
import { mainTable, NOT_MOVED, storedParts } from './stored-tables.ts';

/**
 * Every column of a new database, as `table.column`, except those of partitions, which have the columns of their table.
 */
async function columnsThere(): Promise<readonly string[]> {
  const schema = await temporarySchema();
  await openStorage(schema);
  const { rows } = await schema.pool.query<{ name: string }>(
    `SELECT relname || '.' || attname AS name
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND attnum > 0 AND NOT attisdropped`,
    [schema.name],
  );
  return rows.map(({ name }) => name);
}

function columnsMoved(): readonly string[] {
  return MOVED_TABLE_NAMES.flatMap((name) =>
    storedParts(name).flatMap((part) =>
      Object.keys(movedTable(name).columns)
        .map((column) => `${mainTable(part)}.${column}`)
        .filter((column) => isRead(column, part.expressions ?? {})),
    ),
  );
}

/**
 * Whether the column is read by its name, or in an expression. Counts `to_sweep` as read, although its expression is a
 * constant.
 */
function isRead(column: string, expressions: Readonly<Record<string, string>>): boolean {
  const name = column.split('.')[1] ?? '';
  const expression = expressions[name];
  return expression === undefined || expression.includes(column) || name === 'to_sweep';
}

describe('a move of a PostgreSQL database', () => {
  it('reads each column of each table, or names it with the reason why not', async () => {
    const there = await columnsThere();
    // If this fails, add the column to moved-tables.ts of storage-kit, so that both storages move it, or to NOT_MOVED.
    expect(unaccountedColumns({ there, moved: columnsMoved(), notMoved: NOT_MOVED })).toEqual({
      forgotten: [],
      unknown: [],
    });
  });
});
