import type { oas31 } from 'zod-openapi';
import type { Chapter, QueryDefinition, Route } from '../routes/route.ts';
import { parameterSchema } from './input-schema.ts';

/** The parameters that several routes have, by name in the document. */
export const PARAMETER_COMPONENTS: Readonly<Record<string, oas31.ParameterObject>> = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      "The caller's own name for this request, which the response repeats. Any other value is ignored.",
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  WorkspaceId: {
    name: 'X-Workspace-Id',
    in: 'header',
    description: 'Makes sure of the workspace: the request is refused when the key is of another one.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes it safe to send a request again: for 24 hours the same key with the same request gets the ' +
      'original result, and nothing is done again.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
    example: 'order-1042',
  },
};

const LAST_EVENT_ID: oas31.ParameterObject = {
  name: 'Last-Event-ID',
  in: 'header',
  description:
    'The `id` that the client had last: the stream continues from there. Browsers send it by themselves.',
  schema: { type: 'string' },
};

export function parameters(route: Route): (oas31.ParameterObject | oas31.ReferenceObject)[] {
  const headers =
    (route.replay ?? route.queues)
      ? ['RequestId', 'WorkspaceId', 'IdempotencyKey']
      : ['RequestId', 'WorkspaceId'];
  return [
    ...(route.parameter === undefined ? [] : [pathParameter(route.chapter, route.parameter)]),
    ...(route.query ? queryParameters(route.query) : []),
    ...(route.success.body === 'events' ? [LAST_EVENT_ID] : []),
    ...headers.map((header) => ({ $ref: `#/components/parameters/${header}` })),
  ];
}

/** A path parameter may be any text, because a malformed id gets "not found", not VALIDATION_FAILED. */
function pathParameter({ tag, id }: Chapter, name: string): oas31.ParameterObject {
  if (id?.name !== name) throw new Error(`The routes of "${tag.name}" do not say what {${name}} is.`);
  return {
    name,
    in: 'path',
    required: true,
    description: id.description,
    schema: { type: 'string', minLength: 1 },
  };
}

function queryParameters(query: QueryDefinition): oas31.ParameterObject[] {
  return Object.entries(query.parameters).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: parameterSchema(query, name),
  }));
}
