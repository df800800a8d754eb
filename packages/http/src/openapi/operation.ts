import type { oas31, ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import type { RequestBody, Route, Success } from '../routes/route.ts';
import { errorResponses } from './error-responses.ts';
import { RESPONSE_HEADERS, RATE_LIMIT_HEADERS } from './headers.ts';
import { inputSchema } from './input-schema.ts';
import { parameters } from './parameters.ts';

/** A route as an operation of the OpenAPI document. */
export function operation(route: Route): ZodOpenApiOperationObject {
  const { operationId, chapter, summary, scope, body, success, replay } = route;
  return {
    operationId,
    tags: [chapter.tag.name],
    summary,
    description: scope === null ? 'Needs no particular scope.' : `Needs the scope \`${scope}\`.`,
    // Beside OAuth, OpenAPI 3.1 takes these names as the roles that the caller must have.
    security: [{ apiKey: scope === null ? [] : [scope] }],
    parameters: parameters(route),
    ...(body && { requestBody: requestBody(body) }),
    responses: {
      [`${success.status}`]: successResponse(success),
      ...(success.body === 'file' && {
        '206': {
          ...successResponse(success),
          description: 'The part of the file that the header `Range` asks for',
        },
      }),
      ...(replay && { [`${replay.status}`]: replayResponse(replay) }),
      ...errorResponses(route),
    },
  };
}

function requestBody(body: RequestBody): oas31.RequestBodyObject {
  const { required = [] } = inputSchema(body);
  return {
    required: required.length > 0,
    content: {
      'application/json': { schema: reference(body.name), example: body.example },
      ...(body.form && { 'multipart/form-data': { schema: reference(body.form.name) } }),
    },
  };
}

function reference(name: string): oas31.ReferenceObject {
  return { $ref: `#/components/schemas/${name}` };
}

function successResponse({ body, contentTypes = ['application/json'] }: Success): ZodOpenApiResponseObject {
  const headers = { ...RESPONSE_HEADERS, ...RATE_LIMIT_HEADERS };
  if (body === null) return { description: 'Done; there is nothing to return.', headers };
  if (body === 'file') return { description: 'The file, as an attachment', headers, content: FILE };
  const { schema, description, example } = body;
  const types = contentTypes.map((type) =>
    type === 'application/json' ? [type, { schema, example }] : [type, { schema: { type: 'string' } }],
  );
  return { description, headers, content: Object.fromEntries(types) };
}

/** "Content-Type is the stored MIME type" (specification, "Endpoints"): any. By the format, generated clients know bytes. */
const FILE: oas31.ContentObject = { '*/*': { schema: { type: 'string', format: 'binary' } } };

function replayResponse({ description, ...replay }: NonNullable<Route['replay']>): ZodOpenApiResponseObject {
  return {
    ...successResponse(replay),
    description,
    headers: {
      ...RESPONSE_HEADERS,
      ...RATE_LIMIT_HEADERS,
      'Idempotent-Replayed': { schema: { const: 'true' } },
    },
  };
}
