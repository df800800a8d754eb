import type { ErrorCode } from '@trunkline/core';
import { scopesOf } from './route.ts';
import type { Route } from './route.ts';

/** The codes that every route may return: "Every operation may also return 401, 403, 429" (specification, "Endpoints"). */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'UNAUTHENTICATED',
  'INVALID_API_KEY',
  'WORKSPACE_MISMATCH',
  'WORKSPACE_SUSPENDED',
  'RATE_LIMITED',
  // Returned for an unknown query parameter.
  'VALIDATION_FAILED',
  'INTERNAL_ERROR',
];

/** Every code that a route may return: its own, and those of the checks before its operation. */
export function declaredErrors(route: Route): ReadonlySet<ErrorCode> {
  const scoped: readonly ErrorCode[] = scopesOf(route).length === 0 ? [] : ['INSUFFICIENT_SCOPE'];
  // INVALID_MEDIA_TYPE refuses a compressed body.
  const read: readonly ErrorCode[] =
    route.body === undefined ? [] : ['PAYLOAD_TOO_LARGE', 'INVALID_MEDIA_TYPE'];
  return new Set([...COMMON_ERRORS, ...scoped, ...read, ...ownErrors(route)]);
}

/** The codes that the route's operation returns, among them the code for an unknown id in its path. */
export function ownErrors({ parameter, chapter: { id }, errors, refuses = {} }: Route): readonly ErrorCode[] {
  const ofId = id !== undefined && parameter === id.name ? [id.notFound] : [];
  const refused = Object.keys(refuses) as ErrorCode[]; // the type of `refuses` allows only codes
  return [...ofId, ...refused, ...errors];
}
