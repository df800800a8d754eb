import { createHash } from 'node:crypto';
import type { Row } from '@trunkline/storage-kit';
import { binaryArray, isElementType } from '../rows/binary-array.ts';
import type { ArrayElement, ElementType } from '../rows/binary-array.ts';
import { COLUMN_TYPES } from './column-types.ts';
import type { QueryResult, Queryable, Statement } from './queryable.ts';
import type { Value } from '../rows/row.ts';

export type Columns = Readonly<Record<string, Value>>;

/**
 * Runs SQL on one connection, or each statement on a connection of a pool. Tables are written `trunkline.messages`; the
 * storage's options name the real schema. A parameter that is an array is written with its type: `$1::uuid[]`.
 */
export interface Statements {
  get(sql: string, ...values: readonly Value[]): Promise<Row | undefined>;
  all(sql: string, ...values: readonly Value[]): Promise<readonly Row[]>;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: readonly Value[]): Promise<number>;
  insert(table: string, columns: Columns): Promise<void>;
  /** Changes these columns of the row whose `id` is this uuid. */
  update(table: string, uuid: string, columns: Columns): Promise<void>;
}

export function statementsOn(queryable: Queryable, prepare: Prepare): Statements {
  const query = async (sql: string, values: readonly Value[]): Promise<QueryResult> => {
    const { statement, arrays } = prepare(sql);
    return queryable.query({
      ...statement,
      values: values.map((value, index) => sent(value, arrays[index])),
    });
  };
  const run = async (sql: string, ...values: readonly Value[]): Promise<number> =>
    (await query(sql, values)).rowCount ?? 0;

  return {
    get: async (sql, ...values) => (await query(sql, values)).rows[0],
    all: async (sql, ...values) => (await query(sql, values)).rows,
    run,
    async insert(table, columns) {
      const names = Object.keys(columns);
      const places = names.map((name, index) => placeOf(columns[name], index + 1));
      await run(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`,
        ...Object.values(columns),
      );
    },
    async update(table, uuid, columns) {
      const names = Object.keys(columns);
      const changes = names.map((name, index) => `${name} = ${placeOf(columns[name], index + 2)}`);
      await run(`UPDATE ${table} SET ${changes.join(', ')} WHERE id = $1`, uuid, ...Object.values(columns));
    },
  };
}

/** The only columns that are arrays are lists of words. */
function placeOf(value: Value | undefined, number: number): string {
  return `$${number}${Array.isArray(value) ? '::text[]' : ''}`;
}

function sent(value: Value, type: ElementType | undefined): unknown {
  if (!isArray(value)) return value;
  if (type === undefined)
    throw new Error('A statement does not say which type an array has. This is a defect: please report it.');
  return binaryArray(type, value);
}

function isArray(value: Value): value is readonly ArrayElement[] {
  return Array.isArray(value);
}

export type Prepare = (sql: string) => Prepared;

interface Prepared {
  readonly statement: Statement;
  /** The types of the parameters that are arrays, by their index. */
  readonly arrays: readonly (ElementType | undefined)[];
}

export interface PrepareOptions {
  readonly schema: string;
  /** Whether connections keep statements prepared, which saves parsing them again. */
  readonly preparedStatements: boolean;
  readonly timeoutMs: number;
}

/**
 * Puts the schema before the names in each statement, so that the `search_path` of a connection that the app also uses
 * stays as it is.
 */
export function createPrepare({ schema, preparedStatements, timeoutMs }: PrepareOptions): Prepare {
  const known = new Map<string, Prepared>();
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
    const made = { statement, arrays: arraysOf(sql) };
    known.set(sql, made);
    return made;
  };
}

function arraysOf(sql: string): readonly (ElementType | undefined)[] {
  const types: (ElementType | undefined)[] = [];
  for (const [, number, type = ''] of sql.matchAll(/\$(\d+)::(\w+)\[\]/g))
    if (isElementType(type)) types[Number(number) - 1] = type;
  return types;
}

/**
 * Puts the schema before the names of tables. Names in literals are changed too, as in `nextval('trunkline.tokens')`.
 */
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

/** A name that is unique to this text, because two storages may share a pool. */
function nameOf(text: string): string {
  return `trunkline_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}
