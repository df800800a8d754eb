import {
  checkMark,
  MOVE_MARK,
  MOVED_TABLE_NAMES,
  movedTable,
  parseMoveMark,
  whileOpen,
} from '@trunkline/storage-kit';
import type {
  MarkChange,
  MovableDatabase,
  MoveCursor,
  MovedPage,
  MovedRow,
  MovedTableName,
  MovedValue,
  MoveMark,
} from '@trunkline/storage-kit';
import type { Database } from '../database/database.ts';
import { databaseFile } from '../database/database-file.ts';
import { openDatabase } from '../database/open-database.ts';
import { entities, integer, textOrNull } from '../rows/row.ts';
import { freeze, thaw } from './frozen.ts';
import { readMoved } from './moved-values.ts';
import { mainTable, storedTable } from './stored-tables.ts';
import { finishMove, writeRows } from './written-rows.ts';

/** A SQLite database that `trunkline move` reads or writes. */
export function movableSqlite({
  path,
}: {
  /** The path of the database file. */
  readonly path: string;
}): MovableDatabase {
  const { connected, open, close } = whileOpen<Opened>();
  const database = (): Database => connected().database;
  return {
    open: () =>
      open(() => {
        const opened = openDatabase(databaseFile(path), { isMoving: true });
        return { database: opened, idle: async () => {}, close: async () => opened.close() };
      }),
    close,
    mark: async () => {
      const stored = storedMark(database());
      return stored === null ? null : parseMoveMark(stored);
    },
    writeMark: async (mark) => database().transaction(() => writeMark(database(), mark)),
    isEmpty: async () => isEmpty(database()),
    claim: async (mark) =>
      database().transaction(() => {
        if (!isEmpty(database())) return false;
        writeMark(database(), mark);
        return true;
      }),
    processes: async () => database().all('SELECT * FROM processes').map(entities.process.read),
    freeze: async (mark) =>
      database().transaction(() => {
        writeMark(database(), mark);
        freeze(database());
      }),
    thaw: async () =>
      database().transaction(() => {
        thaw(database());
        writeMark(database(), null);
      }),
    estimate: async () =>
      MOVED_TABLE_NAMES.reduce((sum, name) => {
        const row = database().get(`SELECT count(*) AS rows FROM ${mainTable(name)}`);
        return sum + (row ? integer(row, 'rows') : 0);
      }, 0),
    read: async (name, from, limit) => readPage(database(), name, { from, limit }),
    write: async (name, rows, marks) =>
      database().transaction(() => {
        changeMark(database(), marks);
        writeRows(database(), name, rows);
      }),
    finish: async (marks) =>
      database().transaction(() => {
        changeMark(database(), marks);
        finishMove(database());
      }),
  };
}

interface Opened {
  readonly database: Database;
  idle(): Promise<void>;
  close(): Promise<void>;
}

function storedMark(database: Database): string | null {
  const row = database.get('SELECT value FROM settings WHERE name = ?', MOVE_MARK);
  return row ? textOrNull(row, 'value') : null;
}

function changeMark(database: Database, { expected, next }: MarkChange): void {
  checkMark(storedMark(database), expected);
  writeMark(database, next);
}

function writeMark(database: Database, mark: MoveMark | null): void {
  if (mark === null) database.run('DELETE FROM settings WHERE name = ?', MOVE_MARK);
  else
    database.run(
      'INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)',
      MOVE_MARK,
      JSON.stringify(mark),
    );
}

function isEmpty(database: Database): boolean {
  return MOVED_TABLE_NAMES.every(
    (name) => database.get(`SELECT 1 FROM ${mainTable(name)} LIMIT 1`) === undefined,
  );
}

function readPage(
  database: Database,
  name: MovedTableName,
  { from, limit }: { readonly from: MoveCursor | null; readonly limit: number },
): MovedPage {
  const { from: tables, where = '1', key, expressions = {} } = storedTable(name);
  const columns = Object.entries(movedTable(name).columns);
  const read = columns.map(
    ([column]) => `(${expressions[column] ?? `${mainTable(name)}.${column}`}) AS ${column}`,
  );
  const keys = key.map((column, index) => `${column} AS key_${index}`);
  const after = from?.after ?? null;
  const sql = `SELECT ${[...read, ...keys].join(', ')} FROM ${tables}
    WHERE ${where} ${after ? `AND (${key.join(', ')}) > (${key.map(() => '?').join(', ')})` : ''}
    ORDER BY ${key.join(', ')} LIMIT ?`;
  const stored = database.all(sql, ...(after ?? []), limit);
  const rows = stored.map((row): MovedRow =>
    Object.fromEntries(
      columns.map(([column, kind]): [string, MovedValue] => {
        const value = readMoved(kind, row[column]);
        if (value !== undefined) return [column, value];
        throw new TypeError(
          `The column ${column} of ${mainTable(name)} has a value of type ${typeof row[column]}, which cannot be moved: check the database for damage.`,
        );
      }),
    ),
  );
  const last = stored.at(-1);
  if (!last || stored.length < limit) return { rows, next: null };
  return { rows, next: { part: 0, after: key.map((_, index) => last[`key_${index}`] as string | number) } }; // keys are text or integers
}
