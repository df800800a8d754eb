import type { ErrorCode, Principal, Scope, WorkspaceApi } from '@trunkline/core';
import type { Context } from 'hono';
import type * as z from 'zod';
import type { RouteResponse } from '../route-response.ts';
import type { JsonObject } from '../request-body.ts';
import type { Query } from '../request-query.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';
import type { ResponseBody } from '../schemas/response-body.ts';

/**
 * The routes of one kind of object, by the names of their operations in `WorkspaceApi`. A new operation without a route
 * does not compile. The request handler, the OpenAPI document, the reference, the calls of the client and the tables of
 * the tests derive from these definitions.
 */
export interface RouteGroup<Name extends GroupName> extends Chapter {
  readonly routes: Readonly<Record<OperationName<Name>, RouteDefinition>>;
}

export type GroupName = keyof WorkspaceApi | 'apiKey';

/** An upload is part of a send, and a deletion for everyone a query of `cancel`, so they have no routes of their own. */
type OperationName<Name extends GroupName> = Name extends keyof WorkspaceApi
  ? Exclude<keyof WorkspaceApi[Name], 'upload' | 'deleteForEveryone'>
  : 'get';

export interface Chapter {
  readonly tag: { readonly name: string; readonly description: string };
  /** The id in the group's paths, if any. */
  readonly id?: PathId;
}

interface PathId {
  /** The name of the id in the paths: `instance` for `{instance}`. */
  readonly name: string;
  readonly description: string;
  /** The code for an unknown id, which every route with the id may return. */
  readonly notFound: ErrorCode;
}

export interface RouteDefinition {
  /** The operation's name in generated clients. */
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * The path below the base path, as the specification writes it: `/instances/{instance}`. At most one parameter, the
   * group's id.
   */
  readonly path: string;
  readonly summary: string;
  /** The scope that the key needs; null if it needs none. */
  readonly scope: Scope | null;
  /** A second scope that the key also needs. */
  readonly alsoScope?: Scope;
  /** True if the specification does not have this route. */
  readonly beyond?: true;
  /** The query parameters of the route; any other is refused. */
  readonly query?: QueryDefinition;
  /** The JSON that the route takes. A route without `body` ignores any body. */
  readonly body?: RequestBody;
  readonly success: SuccessResponse;
  /** The response if the same request was accepted before, in which case nothing new is done. */
  readonly replay?: SuccessResponse & { readonly description: string };
  /** The response if the query asks for something that is queued. A repeat of the same request gets it too. */
  readonly queues?: SuccessResponse & { readonly description: string };
  /**
   * The route's own error codes that depend on more than the request (earlier requests, the plan, the network). Codes
   * that every route may return, and the code for an unknown id, are not repeated.
   */
  readonly errors: readonly ErrorCode[];
  /** The other codes, each with a request that gets the code. The reference shows this request, and tests send it. */
  readonly refuses?: Readonly<Partial<Record<ErrorCode, RefusedRequest>>>;
  readonly handle: (request: ApiRequest) => Promise<RouteResponse>;
}

/** A route with the properties of its group. */
export interface Route extends RouteDefinition {
  /** The name of the route's call in the client: `instances.get`. */
  readonly operation: `${GroupName}.${string}`;
  readonly chapter: Chapter;
  /** The parameter's name in the path; undefined if there is none. */
  readonly parameter: string | undefined;
  readonly queryNames: readonly string[];
}

export interface QueryDefinition {
  /** The schema with which the operation checks the query. */
  readonly schema: z.ZodType;
  /** The names of the parameters, each with its description. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The JSON of a request, under its name in the OpenAPI document. */
export interface RequestBody extends InputDefinition {
  readonly example: object;
  /** True if the specification has no body here. A body that cannot be read as a JSON object is then ignored. */
  readonly beyond?: true;
  /** The form, if the route also takes multipart/form-data. The handler of the route reads it. */
  readonly form?: InputDefinition;
}

export interface InputDefinition {
  readonly name: string;
  /** The schemas with which the operation checks the input, in this order. */
  readonly schemas: readonly z.ZodType[];
  /** More schemas, of which a field of the input, such as its type, selects one. */
  readonly alternatives?: readonly z.ZodType[];
  /** Additions to the derived JSON Schema of a field, such as a description. False leaves the field out. */
  readonly fields: Readonly<Record<string, JsonSchema | false>>;
  /** Required fields in addition to those that the schemas require. */
  readonly required?: readonly string[];
  /** Whether the input is a form, whose fields are text or a file. */
  readonly isForm?: boolean;
}

/** A request that is valid except for one fault. */
export interface RefusedRequest {
  /** Without the question mark: `limit=0`. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The fields that differ from the example of the body. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface SuccessResponse {
  readonly status: 200 | 201 | 202 | 204;
  /** `file` for the bytes of a stored file, `events` for a stream of events, null for no body at all. */
  readonly body: ResponseBody | 'file' | 'events' | null;
  /** The content types that `Accept` may choose, the default first. Only JSON if omitted. */
  readonly contentTypes?: readonly string[];
  /** True if the response must not be cached anywhere. */
  readonly noStore?: true;
}

/** A request that has passed every check except the checks of its operation. */
interface ApiRequest {
  readonly c: Context;
  readonly principal: Principal;
  /** The operations of the key's workspace, with the rights of the key. */
  readonly api: WorkspaceApi;
  /** The id in the path; empty if the path has none. */
  readonly id: string;
  readonly query: Query;
  readonly body: JsonObject;
  /** The request's address as clients see it. */
  readonly publicUrl: () => URL;
  /** The parent of the spans that the request causes; undefined if the request's trace is not recorded. */
  readonly traceparent: string | undefined;
  /**
   * Checks the key again, for handlers that run long, such as an upload or an event stream. Rejects if the key is no
   * longer accepted, or cannot be checked.
   */
  readonly readmit: () => Promise<void>;
}

/**
 * Casts input to the type that an operation takes, without a check. Operations check their input, whatever its type
 * promises, and reject a bad field with VALIDATION_FAILED.
 */
export function unchecked<Input>(input: JsonObject | Query): Input {
  return input as Input; // checked by the operation
}

const PARAMETER = /\{(\w+)\}/;

/** The name of the parameter in a path of the specification; no path has more than one. */
export function parameterOf(path: string): string | undefined {
  return PARAMETER.exec(path)?.[1];
}

export function scopesOf({
  scope,
  alsoScope,
}: Pick<RouteDefinition, 'scope' | 'alsoScope'>): readonly Scope[] {
  return [scope, alsoScope].filter((one) => one !== null && one !== undefined);
}
