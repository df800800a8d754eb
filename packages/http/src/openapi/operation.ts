import type { oas31, ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import type { Route, Success } from '../routes/route.ts';
import { ANSWERS } from '../schemas/answers.ts';
import { errorAnswers } from './error-answers.ts';
import { ANSWER_HEADERS, RATE_LIMIT_HEADERS } from './headers.ts';
import { OPERATION_IDS } from './operation-ids.ts';
import { parameters } from './parameters.ts';
import { requestBody } from './request-bodies.ts';
import { tagOf } from './tags.ts';

/** A route as an operation of the OpenAPI document. */
export function operation(route: Route): ZodOpenApiOperationObject {
  const { method, path, summary, scope, success, replay } = route;
  const operationId = OPERATION_IDS[`${method} ${path}`];
  if (operationId === undefined) throw new Error(`${method} ${path} has no operation id.`);
  return {
    operationId,
    tags: [tagOf(path)],
    summary,
    description: scope === null ? 'Needs no particular scope.' : `Needs the scope \`${scope}\`.`,
    // Beside OAuth, OpenAPI 3.1 takes these names as the roles that the caller must have.
    security: [{ apiKey: scope === null ? [] : [scope] }],
    parameters: parameters(route),
    ...(route.body && { requestBody: requestBody(route.body, { takesForm: route.takesForm ?? false }) }),
    responses: {
      [`${success.status}`]: successAnswer(success),
      ...(success.body === 'File' && {
        '206': {
          ...successAnswer(success),
          description: 'The part of the file that the header `Range` asks for',
        },
      }),
      ...(replay && { [`${replay.status}`]: replayAnswer(replay) }),
      ...errorAnswers(route),
    },
  };
}

function successAnswer({ body, contentTypes = ['application/json'] }: Success): ZodOpenApiResponseObject {
  const headers = { ...ANSWER_HEADERS, ...RATE_LIMIT_HEADERS };
  if (body === null) return { description: 'Done; there is nothing to tell.', headers };
  if (body === 'File') return { description: 'The file, as an attachment', headers, content: FILE };
  const { schema, description, example } = ANSWERS[body];
  const types = contentTypes.map((type) =>
    type === 'application/json' ? [type, { schema, example }] : [type, { schema: { type: 'string' } }],
  );
  return { description, headers, content: Object.fromEntries(types) };
}

/** "Content-Type is the stored MIME type" (specification, "Endpoints"): any. */
const FILE: oas31.ContentObject = { '*/*': { schema: {} } };

function replayAnswer(replay: Success): ZodOpenApiResponseObject {
  const answer = successAnswer(replay);
  return {
    ...answer,
    description: 'The message that the same request queued before',
    headers: {
      ...ANSWER_HEADERS,
      ...RATE_LIMIT_HEADERS,
      'Idempotent-Replayed': { schema: { const: 'true' } },
    },
  };
}
