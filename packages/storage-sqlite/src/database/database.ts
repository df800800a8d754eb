import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Row } from '../rows/row.ts';

export type Columns = Readonly<Record<string, SQLInputValue>>;

/** A connection with its prepared statements. Each statement is its own transaction unless one is open. */
export interface Database {
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
  all(sql: string, ...values: SQLInputValue[]): Row[];
  /** Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number;
  /** Returns the rowid of the inserted row, which is meaningless if the table has no rowids. */
  insert(table: string, columns: Columns): number;
  /** Changes these columns of the row with this id. */
  update(table: string, id: string, columns: Columns): void;

  /** Runs `read` so that all its statements see the same state, even if other processes commit in between. */
  snapshot<Result>(read: () => Result): Result;
  /**
   * Commits everything that `write` changes, or nothing if `write` throws. Throws instead of waiting for a lock; see
   * `isBusy`.
   */
  transaction<Result>(write: () => Result): Result;
  isTransaction(): boolean;
  /**
   * Calls back once, as soon as the open transaction is committed or rolled back. To be called only within
   * `transaction`.
   */
  onEnd(listener: (isCommitted: boolean) => void): void;
  close(): void;
}

export function withStatements(connection: DatabaseSync): Database {
  const statements = new Map<string, StatementSync>();
  /**
   * Caches statements, which are few because their texts contain no values. `sql` builds the text if it differs from
   * the key. With a bare `LIMIT ?`, SQLite would plan again each time a value is bound, which takes several times as
   * long as the statement itself.
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
      const sql = (): string => `INSERT INTO ${table} (${names}) VALUES (${names.replaceAll(/[^,]+/g, '?')})`;
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
