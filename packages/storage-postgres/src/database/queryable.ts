import type { Row } from '@trunkline/storage-kit';

/** The part of a client that Trunkline uses. Any `pg` client has it, including the app's own. */
export interface Queryable {
  query(statement: Statement): Promise<QueryResult>;
}

export interface Statement {
  /** Prepares the statement under this name on its connection; without a name, the statement is not kept. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /** In milliseconds. Without a response by then, the statement rejects, and its connection is no longer usable. */
  readonly query_timeout?: number;
  /** Parsers for this statement only. Parsers that the app has set do not apply. */
  readonly types?: { getTypeParser(type: number, format?: string): (value: string) => unknown };
}

export interface QueryResult {
  /** The command as PostgreSQL names it: the `COMMIT` of a failed transaction returns `ROLLBACK`. */
  readonly command?: string;
  readonly rows: readonly Row[];
  readonly rowCount: number | null;
}
