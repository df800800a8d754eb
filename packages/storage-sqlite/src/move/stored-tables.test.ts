import { describe, expect, it } from 'vitest';
import { MOVED_TABLE_NAMES, movedTable } from '@trunkline/storage-kit';
import { unaccountedColumns } from '@trunkline/test-support';
import { openDatabase } from '../database/open-database.ts';
import { text } from '../rows/row.ts';
import { mainTable, NOT_MOVED, storedTable } from './stored-tables.ts';

/** Every column of a new database, as `table.column`. */
function columnsThere(): readonly string[] {
  const database = openDatabase(':memory:');
  const rows = database.all(
    `SELECT sqlite_schema.name || '.' || pragma_table_info.name AS name
     FROM sqlite_schema CROSS JOIN pragma_table_info(sqlite_schema.name)
     WHERE sqlite_schema.type = 'table'`,
  );
  database.close();
  return rows.map((row) => text(row, 'name'));
}

function columnsMoved(): readonly string[] {
  return MOVED_TABLE_NAMES.flatMap((name) => {
    const { expressions = {} } = storedTable(name);
    return Object.keys(movedTable(name).columns)
      .filter((column) => expressions[column] === undefined || column === 'to_sweep')
      .map((column) => `${mainTable(name)}.${column}`);
  });
}

describe('a move of a SQLite database', () => {
  it('reads each column of each table, or names it with the reason why not', () => {
    const there = columnsThere();
    // If this fails, add the column to moved-tables.ts of storage-kit, so that both storages move it, or to NOT_MOVED.
    expect(unaccountedColumns({ there, moved: columnsMoved(), notMoved: NOT_MOVED })).toEqual({
      forgotten: [],
      unknown: [],
    });
  });
});
