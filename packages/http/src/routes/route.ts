import type { Context } from 'hono';
import type { ErrorCode, Principal, Scope, WorkspaceApi } from '@trunkline/core';
import type { Answer } from '../answer.ts';
import type { JsonObject } from '../request-body.ts';
import type { Query } from '../request-query.ts';

/** A row of the specification's endpoint table, with the operation behind it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base path, as the specification writes it: `/instances/{instance}`. At most one parameter, always an id. */
  readonly path: string;
  readonly summary: string;
  /** What the key must be allowed to do; null for nothing in particular. */
  readonly scope: Scope | null;
  /** The query parameters that it knows; any other is refused. */
  readonly query?: readonly string[];
  /** The JSON that it takes. A route without one ignores whatever body it is sent. */
  readonly body?: BodyName;
  /** Whether it also takes multipart/form-data, which its handler reads for itself. */
  readonly takesForm?: true;
  readonly success: Success;
  /** What it answers when the same request was accepted before and nothing new was done. */
  readonly replay?: Success;
  /** Its own error codes; those that every route may answer are not repeated. */
  readonly errors: readonly ErrorCode[];
  readonly handle: (request: ApiRequest) => Promise<Answer>;
}

export interface Success {
  readonly status: 200 | 201 | 202 | 204;
  /** Null for no body at all. */
  readonly body: AnswerName | null;
  /** The content types to choose from by `Accept`, the default first; JSON alone where there is no choice. */
  readonly contentTypes?: readonly string[];
  /** True for what must not be written to any cache. */
  readonly noStore?: true;
}

/** A request that has passed every check but those of its operation. */
interface ApiRequest {
  readonly c: Context;
  readonly principal: Principal;
  /** The operations, as the holder of the key. */
  readonly api: WorkspaceApi;
  /** The id in the path; empty where the path has none. */
  readonly id: string;
  readonly query: Query;
  readonly body: JsonObject;
  /** The address of the request as clients know it. */
  readonly publicUrl: () => URL;
  /** Checks the key again, after a body that took long to arrive. */
  readonly readmit: () => Promise<void>;
}

/** The kinds of request bodies, by the names that they have in the OpenAPI document. */
export type BodyName = 'InstanceInput' | 'ConnectInput' | 'MessageInput' | 'WebhookInput' | 'WebhookChanges';

/** The kinds of answers, likewise. */
export type AnswerName =
  | 'ApiKeyAnswer'
  | 'InstanceAnswer'
  | 'InstanceList'
  | 'QrAnswer'
  | 'GroupList'
  | 'File'
  | 'MessageAnswer'
  | 'MessagePage'
  | 'WebhookAnswer'
  | 'WebhookWithSecretAnswer'
  | 'WebhookList'
  | 'DeliveryAnswer'
  | 'DeliveryDetailAnswer'
  | 'DeliveryPage'
  | 'RetryFailedAnswer';

/**
 * Input as it came, in the type of the operation that takes it next. Operations check what they are given, also when
 * its type promises that it is right: that is where a bad field becomes a VALIDATION_FAILED.
 */
export function unchecked<Input>(input: JsonObject | Query): Input {
  return input as Input; // checked by the operation
}
