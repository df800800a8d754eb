import type { IdPrefix } from '@trunkline/core/spi/storage';
import type { Codec, Codecs } from './codec.ts';
import { wrongColumn } from './row-reader.ts';
import type { Row } from './row-reader.ts';

export type ColumnKind = keyof Codecs<unknown>;

/** The column that stores a field. */
export interface Column<Value> {
  readonly name: string;
  readonly kind: ColumnKind;
  /** The prefix of the ids in a column of kind `id`. */
  readonly prefix?: IdPrefix;
  readonly isNullable?: boolean;
  /** Never set. Its type lets the compiler check that a column's kind fits the type of its field, including null. */
  readonly ofField?: (value: Value) => Value;
}

export type AnyColumn = Omit<Column<unknown>, 'ofField'>;

/** The columns of an object. Each field has a column, of a kind that fits the field's type. */
export type ColumnsOf<Entity> = { readonly [Field in keyof Entity]-?: Column<Entity[Field]> };

export const id = (name: string, prefix: IdPrefix): Column<string> => ({ name, kind: 'id', prefix });
export const text = (name: string): Column<string> => ({ name, kind: 'text' });
export const word = <Word extends string>(name: string): Column<Word> => ({ name, kind: 'word' });
export const words = <List extends readonly string[]>(name: string): Column<List> => ({
  name,
  kind: 'words',
});
export const integer = (name: string): Column<number> => ({ name, kind: 'integer' });
export const flag = (name: string): Column<boolean> => ({ name, kind: 'flag' });
export const json = <Value extends object>(name: string): Column<Value> => ({ name, kind: 'json' });

/** The column of a field that may be null. */
export function orNull<Value>({ name, kind, prefix }: Column<Value>): Column<Value | null> {
  return { name, kind, ...(prefix && { prefix }), isNullable: true };
}

/** Turns objects into the columns of their rows, and rows back into objects. */
export interface RowMapper<Entity, Stored> {
  /** The kind of each column, by the column's name. */
  readonly kinds: Readonly<Record<string, ColumnKind>>;
  /** Returns the values to write, by the names of the columns. */
  readonly columns: (entity: Entity) => Record<string, Stored | null>;
  /**
   * Reads an object from a row, which may have more columns. Throws a TypeError that names a column that cannot be
   * read.
   */
  readonly read: (row: Row) => Entity;
}

export function rowMapper<Entity extends object, Stored>(
  map: ColumnsOf<Entity>,
  codecs: Codecs<Stored>,
): RowMapper<Entity, Stored> {
  const fields = Object.entries<AnyColumn>(map).map(([field, column]) => ({
    field,
    name: column.name,
    kind: column.kind,
    isNullable: column.isNullable === true,
    ...codecOf(column, codecs),
  }));
  // Copies of these objects have their final shape from the start, so the engine need not change it for each field.
  const noFields = Object.fromEntries(fields.map(({ field }) => [field, null]));
  const noColumns = Object.fromEntries(fields.map(({ name }) => [name, null]));
  return {
    kinds: Object.fromEntries(fields.map(({ name, kind }) => [name, kind])),
    columns(entity) {
      const values = entity as Readonly<Record<string, unknown>>; // only the fields of `map` are read
      const columns: Record<string, Stored | null> = { ...noColumns };
      for (const { field, name, write } of fields) {
        const value = values[field];
        if (value !== null) columns[name] = write(value);
      }
      return columns;
    },
    read(row) {
      const entity: Record<string, unknown> = { ...noFields };
      for (const { field, name, isNullable, read } of fields) {
        const stored = row[name];
        if (stored === null && isNullable) continue;
        const value = read(stored);
        if (value === undefined) throw wrongColumn(row, name);
        entity[field] = value;
      }
      return entity as Entity; // each field has the type of its column
    },
  };
}

/** The casts are safe because the compiler has compared the column's kind with the field's type. */
function codecOf<Stored>({ kind, prefix }: AnyColumn, codecs: Codecs<Stored>): Codec<unknown, Stored> {
  if (kind !== 'id') return codecs[kind] as Codec<unknown, Stored>;
  if (prefix === undefined) throw new TypeError('A column of ids has no prefix.');
  return codecs.id(prefix) as Codec<unknown, Stored>;
}
