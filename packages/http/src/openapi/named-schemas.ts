import type * as z from 'zod';
import type { Route, Success } from '../routes/route.ts';
import { errorBody } from '../schemas/errors.ts';
import { inputSchema } from './input-schema.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';

/**
 * The schemas that the document describes by name: what the routes take and return, and the objects in that. Throws
 * when two of them have one name.
 */
export function namedSchemas(routes: readonly Route[]): Record<string, z.ZodType | JsonSchema> {
  const inputs = routes.flatMap(({ body }) => (body ? [body, ...(body.form ? [body.form] : [])] : []));
  const bodies = routes
    .flatMap(({ success, replay }) => [success, ...(replay ? [replay] : [])])
    .flatMap(bodyOf);
  const resources = bodies.flatMap(({ resource }) => (resource ? [resource] : []));
  return {
    ...byName(resources, ({ schema }) => schema),
    Error: errorBody,
    ...byName(bodies, ({ schema }) => schema),
    ...byName(inputs, inputSchema),
  };
}

function bodyOf({ body }: Success) {
  return body === null || body === 'file' ? [] : [body];
}

function byName<Named extends { readonly name: string }, Schema>(
  definitions: readonly Named[],
  schemaOf: (definition: Named) => Schema,
): Record<string, Schema> {
  const found = new Map<string, Named>();
  for (const definition of definitions) {
    const { name } = definition;
    if ((found.get(name) ?? definition) !== definition) throw new Error(`Two schemas are called ${name}.`);
    found.set(name, definition);
  }
  return Object.fromEntries(Array.from(found, ([name, definition]) => [name, schemaOf(definition)]));
}
