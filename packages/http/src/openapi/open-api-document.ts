import type * as z from 'zod';
import { createDocument } from 'zod-openapi';
import type { ZodOpenApiOverride, ZodOpenApiPathsObject } from 'zod-openapi';
import { CHAPTERS, ROUTES } from '../routes/all-routes.ts';
import type { Route, SuccessResponse } from '../routes/route.ts';
import { errorBody } from '../schemas/errors.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';
import { eventInstance } from '../schemas/instances.ts';
import { EVENT_BODIES } from '../schemas/webhook-events.ts';
import { errorComponents, errorExamples } from './error-responses.ts';
import { HEADER_COMPONENTS } from './headers.ts';
import { inputSchema } from './input-schema.ts';
import { operation } from './operation.ts';
import { PARAMETER_COMPONENTS } from './parameters.ts';
import { EVENTS_TAG, WEBHOOK_PARAMETERS, webhooks } from './webhooks.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;

/** The OpenAPI 3.1 document of the API at `server`, an address or a path. */
export function openApiDocument(server: string): OpenApiDocument {
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Trunkline',
        version: '1.0.0',
        summary: 'Messages over linked phone numbers, and signed webhooks about them',
        description: INTRODUCTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: server }],
      tags: [...CHAPTERS.map(({ tag }) => tag), EVENTS_TAG],
      paths: paths(),
      webhooks: webhooks(),
      components: {
        schemas: namedSchemas(ROUTES),
        responses: errorComponents(ROUTES),
        examples: errorExamples(ROUTES),
        headers: { ...HEADER_COMPONENTS },
        parameters: { ...PARAMETER_COMPONENTS, ...WEBHOOK_PARAMETERS },
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description:
              'An API key of one workspace. Each operation names the scope that the key must have.',
          },
        },
      },
    },
    { override: plainly },
  );
}

const INTRODUCTION =
  `Every request carries an API key: \`Authorization: Bearer <API_KEY>\`. Single objects are wrapped as
\`{ "data": { … } }\`, lists as \`{ "data": [ … ] }\`. Errors are \`{ "error": { "code", "message", "request_id" } }\`: branch on
the code. A query parameter that an operation does not know is refused with \`VALIDATION_FAILED\`. Fields may be added to responses without notice, so ignore those that you do not know.`.replaceAll(
    '\n',
    ' ',
  );

function paths(): ZodOpenApiPathsObject {
  const found: ZodOpenApiPathsObject = {};
  for (const route of ROUTES) {
    found[route.path] = { ...found[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return found;
}

/**
 * Removes limits that clients are not promised. The schemas of responses are strict, so that a test notices an extra
 * field, but "Optional fields may be added to responses" (specification, "Versioning"). JavaScript's largest and
 * smallest numbers do not concern clients.
 */
const plainly: ZodOpenApiOverride = ({ jsonSchema, zodSchema }) => {
  if (zodSchema._zod.def.type === 'object' && jsonSchema.additionalProperties === false) {
    delete jsonSchema.additionalProperties;
  }
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
};

/**
 * The schemas that the document describes by name: the inputs and results of routes, the objects in the results, errors
 * and events. Throws if two schemas have the same name.
 */
function namedSchemas(routes: readonly Route[]): Record<string, z.ZodType | JsonSchema> {
  const inputs = routes.flatMap(({ body }) => (body ? [body, ...(body.form ? [body.form] : [])] : []));
  const bodies = routes
    .flatMap(({ success, replay, queues }) => [
      success,
      ...(replay ? [replay] : []),
      ...(queues ? [queues] : []),
    ])
    .flatMap(bodyOf);
  const resources = bodies.flatMap(({ resource }) => (resource ? [resource] : []));
  return {
    ...byName(resources, ({ schema }) => schema),
    ApiError: errorBody,
    ...byName(bodies, ({ schema }) => schema),
    ...byName(inputs, inputSchema),
    ...byName([eventInstance, ...EVENT_BODIES], ({ schema }) => schema),
  };
}

function bodyOf({ body }: SuccessResponse) {
  return body === null || typeof body === 'string' ? [] : [body];
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
