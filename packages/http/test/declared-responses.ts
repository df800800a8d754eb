import { expect } from 'vitest';
import { ROUTES } from '../src/routes/all-routes.ts';
import type { Route } from '../src/routes/route.ts';
import { errorBody } from '../src/schemas/errors.ts';
import { urlOf } from './client.ts';
import type { Call, Seen } from './client.ts';
import { declaredAt, escaped, validatorAt } from './document.ts';
import type { Declared } from './document.ts';

/**
 * A client that fails the test unless the OpenAPI document declares the response: its status, its content type, every
 * field of its body, and its error code. Required headers must be present.
 */
export function onlyDeclaredResponses(call: Call): Call {
  return async (method, target, options) => {
    const seen = await call(method, target, options);
    expectDeclared(method, urlOf(target), seen);
    return seen;
  };
}

function expectDeclared(method: string, { pathname }: URL, seen: Seen): void {
  const about = `${method} ${pathname} → ${seen.status} ${seen.code ?? ''}`;
  const route = routeOf(method, pathname);
  if (route === undefined) {
    if (method === 'HEAD') {
      expect([404, 405], about).toContain(seen.status);
      return;
    }
    expectError(seen, about);
    expect(['NOT_FOUND', 'METHOD_NOT_ALLOWED'], about).toContain(seen.code);
    return;
  }
  const { pointer, declared } = declaredResponse(route, seen.status, about);
  for (const [name, header] of Object.entries(declared.headers ?? {})) {
    const { required } = declaredAt(header.$ref) ?? header;
    if (required) expect(seen.headers.has(name), `${about}: ${name}`).toBe(true);
  }
  const type = seen.headers.get('Content-Type');
  if (declared.content === undefined) {
    expect([seen.text, type], about).toEqual(['', null]);
    return;
  }
  if ('*/*' in declared.content) return;
  expect(Object.keys(declared.content), about).toContain(type);
  if (type !== 'application/json' || method === 'HEAD') return;
  const validate = validatorAt(`${pointer}/content/${escaped(type)}/schema`);
  expect(validate(seen.json) ? [] : validate.errors, about).toEqual([]);
  expectExactly(route, seen, about);
}

/** Checks that a body has only the declared fields, although the document allows later versions to add some. */
function expectExactly(route: Route, seen: Seen, about: string): void {
  if (seen.status >= 400) {
    expectError(seen, about);
    return;
  }
  const { body } = seen.status === route.queues?.status ? route.queues : route.success;
  if (body === null || typeof body === 'string') return;
  expect(body.schema.safeParse(seen.json).error, about).toBeUndefined();
}

function expectError(seen: Seen, about: string): void {
  const parsed = errorBody.safeParse(seen.json);
  expect(parsed.error, about).toBeUndefined();
  expect(seen.headers.get('Content-Type'), about).toBe('application/json');
  expect(parsed.data?.error.request_id, about).toBe(seen.headers.get('X-Request-Id'));
}

function declaredResponse(
  { method, path }: Route,
  status: number,
  about: string,
): { readonly pointer: string; readonly declared: Declared } {
  const pointer = `#/paths/${escaped(path)}/${method.toLowerCase()}/responses/${status}`;
  const declared = declaredAt(pointer);
  if (declared === undefined) throw new Error(`${about}: the status is not declared`);
  if (declared.$ref === undefined) return { pointer, declared };
  return { pointer: declared.$ref, declared: declaredAt(declared.$ref) ?? {} };
}

/** The route of a request. Splits the path before decoding `%2F`, as the router does. */
export function routeOf(method: string, pathname: string): Route | undefined {
  const like = method === 'HEAD' ? 'GET' : method;
  return ROUTES.find((route) => route.method === like && pattern(route.path).test(pathname));
}

function pattern(path: string): RegExp {
  return new RegExp(`^(/api/v1)?${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
