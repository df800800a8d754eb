import * as z from 'zod';
import type { InputDefinition, QueryDefinition } from '../routes/route.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';

/** The JSON Schema of an input as clients send it, with the route's descriptions of its fields. */
export function inputSchema(definition: InputDefinition): JsonSchema {
  const { fields, required = [], isForm = false } = definition;
  const schema = merged(checkedBy(definition));
  const properties = { ...(isForm ? inForm(schema.properties) : schema.properties) };
  for (const [name, more] of Object.entries(fields)) {
    if (more === false) delete properties[name];
    else properties[name] = { ...Object(properties[name]), ...more };
  }
  const needed = [...(schema.required ?? []), ...required];
  return { ...schema, properties, ...(needed.length > 0 && { required: needed }) };
}

/** Whether an input without any field fits the schema. */
export function takesNothing({ required = [], minProperties = 0 }: JsonSchema): boolean {
  return required.length === 0 && minProperties === 0;
}

/**
 * The schema of a query parameter. It describes the value that the text stands for (a number), or the text if JSON
 * Schema cannot express the value (a list with commas).
 */
export function parameterSchema({ schema }: QueryDefinition, name: string): JsonSchema {
  const meant = propertyOf(jsonSchema(schema, 'output'), name);
  return meant.type === undefined ? propertyOf(jsonSchema(schema, 'input'), name) : meant;
}

/** Removes null, which a form cannot express. A list is a text with commas. */
function inForm(properties: JsonSchema['properties'] = {}): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, one]) => {
      const schema = withoutNull(Object(one));
      return [name, schema.type === 'array' ? { type: 'string' } : schema];
    }),
  );
}

function withoutNull({ type, anyOf = [], ...rest }: JsonSchema): JsonSchema {
  const [first, ...others] = anyOf.filter((one) => !('type' in one) || one.type !== 'null');
  const types = [type ?? []].flat().filter((one) => one !== 'null');
  return {
    ...rest,
    ...(types[0] !== undefined && { type: types[0] }),
    ...(first !== undefined && (others.length === 0 ? first : { anyOf: [first, ...others] })),
  };
}

function checkedBy({ schemas, alternatives }: InputDefinition): readonly JsonSchema[] {
  const always = schemas.map((one) => jsonSchema(one, 'input'));
  return alternatives ? [...always, eitherOf(alternatives.map((one) => jsonSchema(one, 'input')))] : always;
}

/**
 * Merges schemas of which one checks an object. A field is required if all of them require it, and may fit any of their
 * schemas for it.
 */
function eitherOf(objects: readonly JsonSchema[]): JsonSchema {
  const all = merged(objects);
  const required = all.required?.filter((name) => objects.every((one) => one.required?.includes(name)));
  const properties = Object.keys(all.properties ?? {}).map((name) => {
    const found = objects.flatMap((one) => one.properties?.[name] ?? []).flatMap(choicesOf);
    const different = new Map(found.map((one) => [JSON.stringify(one), one]));
    const [first, ...others] = different.values();
    return [name, others.length === 0 ? (first ?? {}) : { anyOf: [...different.values()] }];
  });
  return { ...all, properties: Object.fromEntries(properties), ...(required && { required }) };
}

/** The schemas that a field may fit. A field that must be left out may be null. */
function choicesOf(schema: NonNullable<JsonSchema['properties']>[string]): readonly (typeof schema)[] {
  const { anyOf, ...rest } = Object(schema) as JsonSchema; // a schema is an object here
  const isChoice = anyOf !== undefined && Object.keys(rest).length === 0;
  return isChoice ? anyOf.filter((one) => !('not' in one)) : [schema];
}

/** Merges schemas that successively check the same object into one. */
function merged(objects: readonly JsonSchema[]): JsonSchema {
  const [first, ...others] = objects;
  if (first !== undefined && others.length === 0) return first;
  return {
    type: 'object',
    properties: Object.assign({}, ...objects.map(({ properties }) => properties)),
    required: [...new Set(objects.flatMap(({ required }) => required ?? []))],
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest as JsonSchema; // schemas of OpenAPI 3.1 are JSON Schema 2020-12
}

function propertyOf({ properties }: JsonSchema, name: string): JsonSchema {
  const found = properties?.[name];
  if (typeof found !== 'object' || '$ref' in found) throw new Error(`The schema has no property ${name}.`);
  return found;
}
