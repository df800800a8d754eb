import * as z from 'zod';
import type { oas31 } from 'zod-openapi';

export type JsonSchema = Extract<oas31.SchemaObject, object>;

/** The JSON Schema of what a schema takes, before it is transformed. */
export function inputSchema(schema: z.ZodType): JsonSchema {
  return jsonSchema(schema, 'input');
}

/**
 * A query parameter that a schema takes: described by the value that its text has to mean (a number), or by the text
 * where JSON Schema cannot tell the value (a list with commas).
 */
export function parameterSchema(schema: z.ZodType, name: string): JsonSchema {
  const meant = propertyOf(jsonSchema(schema, 'output'), name);
  return meant.type === undefined ? propertyOf(inputSchema(schema), name) : meant;
}

/** What several schemas check one after the other, as one object. */
export function merged(...objects: readonly JsonSchema[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.assign({}, ...objects.map(({ properties }) => properties)),
    required: [...new Set(objects.flatMap(({ required }) => required ?? []))],
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest as JsonSchema; // two descriptions of one thing: schemas of OpenAPI 3.1 are JSON Schema 2020-12
}

function propertyOf({ properties }: JsonSchema, name: string): JsonSchema {
  const found = properties?.[name];
  if (typeof found !== 'object' || '$ref' in found) throw new Error(`The schema has no property ${name}.`);
  return found;
}
