import { deliveryQuery, messageQuery } from '@trunkline/core';
import type * as z from 'zod';
import type { oas31 } from 'zod-openapi';
import { parameterOf } from '../route-path.ts';
import type { AnswerName, Route } from '../routes/route.ts';
import { parameterSchema } from './input-schema.ts';

/** What checks the query of a route, by what the route answers. */
const QUERIES: Partial<Readonly<Record<AnswerName, z.ZodType>>> = {
  MessagePage: messageQuery,
  DeliveryPage: deliveryQuery,
};

const QUERY_DESCRIPTIONS: Readonly<Record<string, string>> = {
  instance: 'Only messages of this instance.',
  direction: 'Only messages in this direction.',
  type: 'Only messages of this type.',
  status: 'Only what has this status; of messages also a list of statuses with commas.',
  event: 'Only deliveries of this event type.',
  limit: 'How many on a page.',
  cursor: 'Where the page begins: a cursor of another page of the same list.',
};

const ID_DESCRIPTIONS: Readonly<Record<string, string>> = {
  instance: 'The id of an instance (`ins_…`).',
  message: 'The id of a message (`msg_…`).',
  webhook: 'The id of a webhook endpoint (`wh_…`).',
  delivery: 'The id of a delivery (`whd_…`).',
};

/** Parameters that several routes have, by the names that the document refers to them with. */
export const PARAMETER_COMPONENTS: Readonly<Record<string, oas31.ParameterObject>> = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      "The caller's own name for this request, which the answer repeats. Any other value is ignored.",
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
      'Makes it safe to send a request again: for 24 hours the same key with the same request is answered with the ' +
      'original message, and nothing new is queued.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
    example: 'order-1042',
  },
};

export function parameters(route: Route): (oas31.ParameterObject | oas31.ReferenceObject)[] {
  const headers = route.replay
    ? ['RequestId', 'WorkspaceId', 'IdempotencyKey']
    : ['RequestId', 'WorkspaceId'];
  const id = parameterOf(route.path);
  return [
    ...(id === undefined ? [] : [pathParameter(id)]),
    ...(route.query ?? []).map((name) => queryParameter(route, name)),
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

/** An id of another form is not refused but not found, so that any text is allowed. */
function pathParameter(name: string): oas31.ParameterObject {
  return {
    name,
    in: 'path',
    required: true,
    description: ID_DESCRIPTIONS[name] ?? name,
    schema: { type: 'string', minLength: 1 },
  };
}

function queryParameter({ success }: Route, name: string): oas31.ParameterObject {
  const query = success.body === null ? undefined : QUERIES[success.body];
  if (query === undefined)
    throw new Error(`Nothing checks the query of the route that answers ${success.body}.`);
  return {
    name,
    in: 'query',
    description: QUERY_DESCRIPTIONS[name] ?? name,
    schema: parameterSchema(query, name),
  };
}
