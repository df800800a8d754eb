import type { oas31, ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import type { Scope } from '@trunkline/core';
import { eventRoutes } from '../routes/events.ts';
import { scopesOf } from '../routes/route.ts';
import type { RequestBody, Route, SuccessResponse } from '../routes/route.ts';
import { errorResponses } from './error-responses.ts';
import { RESPONSE_HEADERS, RATE_LIMIT_HEADERS } from './headers.ts';
import { inputSchema, takesNothing } from './input-schema.ts';
import { exampleAt } from './page-example.ts';
import { parameters } from './parameters.ts';

export function operation(route: Route): ZodOpenApiOperationObject {
  const { operationId, chapter, summary, beyond, body, path, success, replay, queues } = route;
  const scopes = scopesOf(route);
  return {
    operationId,
    tags: [beyond ? eventRoutes.tag.name : chapter.tag.name],
    summary,
    description: scopeText(scopes),
    // OpenAPI 3.1 reads these names as required roles, because the scheme is not OAuth.
    security: [{ apiKey: [...scopes] }],
    parameters: parameters(route),
    ...(body && { requestBody: requestBody(body) }),
    responses: {
      [`${success.status}`]: successResponse(success, path),
      ...(success.body === 'file' && {
        '206': {
          ...successResponse(success, path),
          description: 'The part of the file that the header `Range` asks for',
        },
      }),
      ...(queues && {
        [`${queues.status}`]: { ...successResponse(queues, path), description: queues.description },
      }),
      ...(replay && { [`${replay.status}`]: replayResponse(replay, path) }),
      ...errorResponses(route),
    },
  };
}

function scopeText(scopes: readonly Scope[]): string {
  if (scopes.length === 0) return 'Needs no particular scope.';
  const names = scopes.map((scope) => `\`${scope}\``).join(' and ');
  return `Needs the scope${scopes.length > 1 ? 's' : ''} ${names}.`;
}

function requestBody(body: RequestBody): oas31.RequestBodyObject {
  return {
    required: !takesNothing(inputSchema(body)),
    content: {
      'application/json': { schema: reference(body.name), example: body.example },
      ...(body.form && { 'multipart/form-data': { schema: reference(body.form.name) } }),
    },
  };
}

function reference(name: string): oas31.ReferenceObject {
  return { $ref: `#/components/schemas/${name}` };
}

function successResponse(
  { body, contentTypes = ['application/json'] }: SuccessResponse,
  path: string,
): ZodOpenApiResponseObject {
  const headers = { ...RESPONSE_HEADERS, ...RATE_LIMIT_HEADERS };
  if (body === null) return { description: 'Done; there is nothing to return.', headers };
  if (body === 'file') return { description: 'The file, as an attachment', headers, content: FILE };
  if (body === 'events') return { description: EVENT_STREAM, headers, content: EVENTS };
  const { schema, description } = body;
  const example = exampleAt(path, body.example);
  const types = contentTypes.map((type) =>
    type === 'application/json' ? [type, { schema, example }] : [type, { schema: { type: 'string' } }],
  );
  return { description, headers, content: Object.fromEntries(types) };
}

/**
 * "Content-Type is the stored MIME type" (specification, "Endpoints"), which may be any type. The format tells
 * generated clients that the content is bytes.
 */
const FILE: oas31.ContentObject = { '*/*': { schema: { type: 'string', format: 'binary' } } };

const EVENT_STREAM =
  'The events as server-sent events: `event` is the type, `data` the body that webhooks get, byte for byte, `id` the id of the event. ' +
  'An `id` without `data` is a position, to continue from as from an event. Each event comes at least once: after a ' +
  '`Last-Event-ID`, those of up to a minute before it come again. Comments keep the connection open.';
const EVENTS: oas31.ContentObject = {
  'text/event-stream': {
    schema: { type: 'string' },
    example:
      'id: evt_01kaj2t1a3c5e7g9j2m4p6r8t0\nevent: message.sent\ndata: {"id":"evt_01kaj2t1a3c5e7g9j2m4p6r8t0"}\n\n',
  },
};

function replayResponse(
  { description, ...replay }: NonNullable<Route['replay']>,
  path: string,
): ZodOpenApiResponseObject {
  return {
    ...successResponse(replay, path),
    description,
    headers: {
      ...RESPONSE_HEADERS,
      ...RATE_LIMIT_HEADERS,
      'Idempotent-Replayed': { schema: { const: 'true' } },
    },
  };
}
