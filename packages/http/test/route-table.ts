import type { ErrorCode, Scope } from '@trunkline/core';
import { inputSchema, takesNothing } from '../src/openapi/input-schema.ts';
import { ROUTES } from '../src/routes/all-routes.ts';
import { ownErrors } from '../src/routes/declared-errors.ts';
import { scopesOf } from '../src/routes/route.ts';
import type { RequestBody, Route } from '../src/routes/route.ts';

export interface Row {
  readonly method: Route['method'];
  readonly path: string;
  readonly scope: Scope | null;
  /** The scope and the additional scope, if any. */
  readonly scopes: readonly Scope[];
  readonly status: number;
  readonly errors: readonly ErrorCode[];
  readonly route: Route;
}

/** Every route. conformance.test.ts checks that the specification's routes are among them. */
export const ROUTE_TABLE: readonly Row[] = ROUTES.map((route) => ({
  method: route.method,
  path: route.path,
  scope: route.scope,
  scopes: scopesOf(route),
  status: route.success.status,
  errors: ownErrors(route),
  route,
}));

/** The body that a request to a route needs: the example, if a body is required. */
export function needed({ body }: Route, ids: Ids = {}): { readonly json?: object } {
  return body && !takesNothing(inputSchema(body)) ? { json: exampleOf(body, ids) } : {};
}

type Ids = Readonly<Record<string, string>>;

export function exampleOf({ example }: RequestBody, ids: Ids): object {
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, ids[name] ?? value]));
}

export function somePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, 'no-such-$1');
}
