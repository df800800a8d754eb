import { ERROR_CODES } from '@trunkline/core/spi/http';
import type { ErrorCode } from '@trunkline/core';
import type { oas31 } from 'zod-openapi';
import { unavailable } from '../error-response.ts';
import { declaredErrors } from '../routes/declared-errors.ts';
import type { Route } from '../routes/route.ts';
import { RESPONSE_HEADERS, HEADER_COMPONENTS, RATE_LIMIT_HEADERS } from './headers.ts';

/** The error responses of a route by status, as references to `errorComponents`. */
export function errorResponses(route: Route): Record<string, oas31.ReferenceObject> {
  return Object.fromEntries(
    kindsOf(route).map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
  );
}

/** Every error response of the routes, with its possible codes and examples. */
export function errorComponents(routes: readonly Route[]): Record<string, oas31.ResponseObject> {
  const kinds = routes.flatMap(kindsOf).toSorted((one, other) => one.status - other.status);
  return Object.fromEntries(kinds.map((kind) => [kind.name, errorResponse(kind)]));
}

export function errorExamples(routes: readonly Route[]): Record<string, oas31.ExampleObject> {
  const codes = new Set(routes.flatMap((route) => [...declaredErrors(route)]));
  return Object.fromEntries([...codes].map((code) => [code, { value: exampleOf(code) }]));
}

// The cast is safe, because the keys of this table are the codes.
const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

interface ErrorKind {
  readonly status: number;
  readonly codes: readonly ErrorCode[];
  readonly name: string;
}

function kindsOf(route: Route): ErrorKind[] {
  const declared = declaredErrors(route);
  const own = CODES.filter((code) => declared.has(code)).map((code) => ({
    code,
    status: ERROR_CODES[code].status,
  }));
  // Every operation needs the database, so each may return a 503.
  const byStatus = Map.groupBy([...own, unavailable()], ({ status }) => status);
  return [...byStatus].map(([status, errors]) => {
    const codes = errors.map(({ code }) => code);
    return { status, codes, name: `${status}.${codes.join('.')}` };
  });
}

function errorResponse({ status, codes }: ErrorKind): oas31.ResponseObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].meaning}`).join('\n\n'),
    headers: headersOf(status),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/ApiError' },
            { properties: { error: { properties: { code: { enum: [...codes] } } } } },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** A response that refuses the key itself has no rate limit to report. */
function headersOf(status: number): Record<string, oas31.HeaderObject | oas31.ReferenceObject> {
  if (status === 401) {
    return { ...RESPONSE_HEADERS, 'WWW-Authenticate': { required: true, schema: { const: 'Bearer' } } };
  }
  if (status === 503) {
    const retryAfter = { ...HEADER_COMPONENTS['RetryAfter'], required: false };
    return { ...RESPONSE_HEADERS, ...RATE_LIMIT_HEADERS, 'Retry-After': retryAfter };
  }
  if (status !== 429) return { ...RESPONSE_HEADERS, ...RATE_LIMIT_HEADERS };
  return {
    ...RESPONSE_HEADERS,
    ...RATE_LIMIT_HEADERS,
    'Retry-After': { $ref: '#/components/headers/RetryAfter' },
  };
}

function exampleOf(code: ErrorCode): object {
  const { meaning: message, exampleDetails: details } = ERROR_CODES[code];
  return {
    error: { code, message, request_id: 'req_01kaj2v0x1y2z3a4b5c6d7e8f9', ...(details && { details }) },
  };
}
