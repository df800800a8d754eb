import { readFileSync } from 'node:fs';
import * as z from 'zod';

const TEXT = readFileSync(new URL('../../../docs/messaging-api.md', import.meta.url), 'utf8');

interface Row {
  readonly names: readonly string[];
  readonly type: string;
  readonly notes: string;
}

/**
 * The shape of an object as a table of version 1.0.0 of the specification gives it. Fields that were added later are
 * ignored, unless `exact`.
 */
export function shapeOf(heading: string, { exact = false } = {}): z.ZodObject {
  const fields = tableUnder(heading).flatMap(({ names, type, notes }) =>
    names.map((name): readonly [string, z.ZodType] => [name, fieldOf(type, notes)]),
  );
  const shape = Object.fromEntries(fields);
  return exact ? z.strictObject(shape) : z.looseObject(shape);
}

/** The shape of the objects that a sentence of the specification lists the fields of, after the words `start`. */
export function shapeAfter(start: string): z.ZodObject {
  const line = TEXT.split('\n').find((one) => one.includes(start)) ?? '';
  return membersOf(line.slice(line.indexOf(start) + start.length));
}

/** The names in the first column of the table with the column `title`. */
export function firstColumn(title: string): readonly string[] {
  return rowsAfter(`| ${title} |`).map(([name = '']) => name);
}

function tableUnder(heading: string): readonly Row[] {
  const section = TEXT.slice(TEXT.indexOf(`\n### ${heading}\n`));
  return rowsAfter('| Field |', section).map(([names = '', type = '', notes = '']) => ({
    names: names.split(', '),
    type,
    notes,
  }));
}

/** The cells of the rows of the first table whose header begins with `start`. */
function rowsAfter(start: string, text: string = TEXT): readonly (readonly string[])[] {
  const lines = text.slice(text.indexOf(start)).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function fieldOf(type: string, notes: string): z.ZodType {
  if (notes.startsWith('present ONLY in')) return z.string().optional();
  if (type === 'string/object or null') return z.union([z.string(), z.looseObject({})]).nullable();
  const plain = type.replace(/ or null$/, '');
  const field = plainField(plain, notes);
  return plain === type ? field : field.nullable();
}

function plainField(type: string, notes: string): z.ZodType {
  const [, prefix] = /^(?:string \()?([a-z]+_)\.\.\./.exec(type === 'string' ? notes : type) ?? [];
  if (prefix !== undefined) return z.string().startsWith(prefix);
  if (type === 'timestamp') return z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/);
  if (type === 'integer') return /^\d+$/.test(notes) ? z.literal(Number(notes)) : z.int();
  if (type === 'boolean') return z.boolean();
  if (type.startsWith('array of')) return z.array(z.string());
  if (type === 'map string to string') return z.record(z.string(), z.string());
  if (type.startsWith('object')) return membersOf(`${type} ${notes}`);
  if (type !== 'string')
    throw new Error(`The specification has a type that this test does not know: ${type}`);
  return /^[a-z]+(?:, [a-z]+)*(?: or [a-z]+)?$/.test(notes) && /, | or /.test(notes)
    ? z.enum(notes.split(/, | or /))
    : z.string();
}

/** Reads `id (string), at (timestamp)`, or `has boolean `available``. */
function membersOf(text: string): z.ZodObject {
  const members = [...text.matchAll(/(\w+) \(([^);,]+)[^)]*\)/g)].map(
    ([, name = '', type = '']): readonly [string, z.ZodType] => [name, fieldOf(type, '')],
  );
  const flags = [...text.matchAll(/boolean `(\w+)`/g)].map(([, name = '']): readonly [string, z.ZodType] => [
    name,
    z.boolean(),
  ]);
  return z.looseObject(Object.fromEntries([...members, ...flags]));
}
