import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Row } from './row.ts';

export type Columns = Readonly<Record<string, SQLInputValue>>;

/** A connection with its prepared statements. Each statement is a transaction of its own unless it runs inside of one. */
export interface Database {
  /** The row, or undefined. */
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
  all(sql: string, ...values: SQLInputValue[]): Row[];
  /** Returns how many rows were changed. */
  run(sql: string, ...values: SQLInputValue[]): number;
  /** Inserts a row given by its columns. Returns its rowid, which means nothing if the table has none. */
  insert(table: string, columns: Columns): number;
  /** Changes these columns of the row with this id. */
  update(table: string, id: string, columns: Columns): void;

  /** Reads with several statements that all see one moment, whatever other processes commit meanwhile. */
  snapshot<Result>(read: () => Result): Result;
  /** Commits all that `write` changes, or nothing if it throws. Never waits for a lock: see `isBusy`. */
  transaction<Result>(write: () => Result): Result;
  isTransaction(): boolean;
  /** Calls back once, as soon as the open transaction is committed or rolled back. Only within `transaction`. */
  onEnd(listener: (isCommitted: boolean) => void): void;
  close(): void;
}

export function withStatements(connection: DatabaseSync): Database {
  const statements = new Map<string, StatementSync>();
  /**
   * The texts are few: none has a value in it. `sql` returns the text if the key is not the text itself.
   * SQLite looks at the value of a bare `LIMIT ?` when it plans, and plans again each time that one is bound, which takes
   * several times as long as the statement itself.
   */
  const prepare = (key: string, sql: () => string = () => key): StatementSync => {
    const known = statements.get(key);
    if (known) return known;
    const prepared = connection.prepare(sql().replaceAll('LIMIT ?', 'LIMIT ? + 0'));
    // A caller's own connection may have other settings.
    prepared.setReadBigInts(false);
    prepared.setReturnArrays(false);
    statements.set(key, prepared);
    return prepared;
  };
  const run = (sql: string, ...values: SQLInputValue[]): number =>
    Number(prepare(sql).run(...values).changes);

  let listeners: ((isCommitted: boolean) => void)[] = [];
  const end = (isCommitted: boolean): void => {
    const ended = listeners;
    listeners = [];
    for (const listener of ended) listener(isCommitted);
  };

  const within = <Result>(begin: string, work: () => Result): Result => {
    run(begin);
    try {
      const result = work();
      run('COMMIT');
      end(true);
      return result;
    } catch (error) {
      // If the disk is full, SQLite may have rolled back already.
      if (connection.isTransaction) run('ROLLBACK');
      end(false);
      throw error;
    }
  };

  return {
    get: (sql, ...values) => prepare(sql).get(...values),
    all: (sql, ...values) => prepare(sql).all(...values),
    run,
    insert(table, columns) {
      const names = Object.keys(columns).join(', ');
      // An error undoes its whole transaction. So no statement needs a journal of its own, in which SQLite would
      // copy each page that a statement with triggers changes.
      const sql = (): string =>
        `INSERT OR FAIL INTO ${table} (${names}) VALUES (${names.replaceAll(/[^,]+/g, '?')})`;
      return Number(prepare(`insert ${table} ${names}`, sql).run(...Object.values(columns)).lastInsertRowid);
    },
    update(table, id, columns) {
      const names = Object.keys(columns).join(' = ?, ');
      const sql = (): string => `UPDATE ${table} SET ${names} = ? WHERE id = ?`;
      prepare(`update ${table} ${names}`, sql).run(...Object.values(columns), id);
    },
    snapshot: (read) => (connection.isTransaction ? read() : within('BEGIN', read)),
    transaction: (write) => within('BEGIN IMMEDIATE', write),
    isTransaction: () => connection.isTransaction,
    onEnd(listener) {
      listeners.push(listener);
    },
    close: () => connection.close(),
  };
}
