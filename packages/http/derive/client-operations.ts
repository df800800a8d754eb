import type { Operation } from '../src/client/operation.ts';
import { ROUTES } from '../src/routes/all-routes.ts';
import type { Route } from '../src/routes/route.ts';

/** The client's table of routes: the value of `OPERATIONS` in src/client/operations.ts. */
export function clientOperations(): Readonly<Record<string, Readonly<Record<string, Operation>>>> {
  const found: Record<string, Record<string, Operation>> = {};
  for (const route of ROUTES) {
    const [group = '', name = ''] = route.operation.split('.');
    found[group] = { ...found[group], [name]: operationOf(route) };
  }
  return found;
}

function operationOf({ method, path, body, query, queues, success }: Route): Operation {
  // An action that a query asks for has a call of its own (`MessageCalls`).
  const input = body ? 'json' : query && !queues && 'query';
  const facts = success.body === null || typeof success.body === 'string' ? [] : metaOf(success.body.example);
  return {
    method,
    path,
    ...(input && { input }),
    ...(facts.length > 0 && { facts: Object.fromEntries(facts.map((name) => [camelCase(name), name])) }),
  };
}

/** The names in a response's `meta`, except the request's address. */
function metaOf(example: object): readonly string[] {
  const meta: unknown = 'meta' in example ? example.meta : {};
  return Object.keys(Object(meta)).filter((name) => name !== 'path');
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
