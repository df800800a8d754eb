import { createHash } from 'node:crypto';
import type { Row } from '@trunkline/storage-kit';
import { COLUMN_TYPES } from './column-types.ts';
import type { QueryResult, Queryable, Statement } from './queryable.ts';

type Scalar = string | number | boolean | null | Uint8Array;
export type Value = Scalar | readonly Scalar[];
export type Columns = Readonly<Record<string, Value>>;

/**
 * SQL on a connection, or on one of a pool for each. Tables are written `trunkline.messages`; where they really are is
 * the matter of the storage's options.
 */
export interface Statements {
  /** The row, or undefined. */
  get(sql: string, ...values: readonly Value[]): Promise<Row | undefined>;
  all(sql: string, ...values: readonly Value[]): Promise<readonly Row[]>;
  /** Returns how many rows were changed. */
  run(sql: string, ...values: readonly Value[]): Promise<number>;
  /** Inserts a row given by its columns. */
  insert(table: string, columns: Columns): Promise<void>;
  /** Changes these columns of the row with this `id`, given as its uuid. */
  update(table: string, uuid: string, columns: Columns): Promise<void>;
}

export function statementsOn(queryable: Queryable, prepare: Prepare): Statements {
  const query = (sql: string, values: readonly Value[]): Promise<QueryResult> =>
    queryable.query({ ...prepare(sql), values });
  const run = async (sql: string, ...values: readonly Value[]): Promise<number> =>
    (await query(sql, values)).rowCount ?? 0;

  return {
    get: async (sql, ...values) => (await query(sql, values)).rows[0],
    all: async (sql, ...values) => (await query(sql, values)).rows,
    run,
    async insert(table, columns) {
      const names = Object.keys(columns);
      const places = names.map((_, index) => `$${index + 1}`);
      await run(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`,
        ...Object.values(columns),
      );
    },
    async update(table, uuid, columns) {
      const names = Object.keys(columns);
      const changes = names.map((name, index) => `${name} = $${index + 2}`);
      await run(`UPDATE ${table} SET ${changes.join(', ')} WHERE id = $1`, uuid, ...Object.values(columns));
    },
  };
}

/** Makes a statement of our SQL. */
export type Prepare = (sql: string) => Statement;

export interface PrepareOptions {
  /** Where the tables are. */
  readonly schema: string;
  /** Whether connections keep statements prepared: parsed and planned once each. */
  readonly preparedStatements: boolean;
  readonly timeoutMs: number;
}

/** Names are qualified in each statement: the `search_path` of a connection that the app uses too stays as it is. */
export function createPrepare({ schema, preparedStatements, timeoutMs }: PrepareOptions): Prepare {
  const known = new Map<string, Statement>();
  return (sql) => {
    const prepared = known.get(sql);
    if (prepared) return prepared;
    const text = qualify(sql, schema);
    const statement = {
      text,
      types: COLUMN_TYPES,
      query_timeout: timeoutMs,
      ...(preparedStatements && { name: nameOf(text) }),
    };
    known.set(sql, statement);
    return statement;
  };
}

/** Our SQL as it is for tables in this schema, in literals too: `nextval('trunkline.tokens')`. */
export function qualify(sql: string, schema: string): string {
  return sql.replaceAll(/'trunkline\.(\w+)'|\btrunkline\./g, (_, inLiteral: string | undefined) =>
    inLiteral === undefined
      ? `${quoted(schema)}.`
      : `'${`${quoted(schema)}.${inLiteral}`.replaceAll("'", "''")}'`,
  );
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/** The same for the same text only: two storages may share a pool. */
function nameOf(text: string): string {
  return `trunkline_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}
