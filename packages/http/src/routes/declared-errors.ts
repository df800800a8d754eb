import type { ErrorCode } from '@trunkline/core';
import type { Route } from './route.ts';

/** What every route may answer: "Every operation may also return 401, 403, 429" (specification, "Endpoints"). */
const COMMON: readonly ErrorCode[] = [
  'UNAUTHENTICATED',
  'INVALID_API_KEY',
  'WORKSPACE_MISMATCH',
  'WORKSPACE_SUSPENDED',
  'RATE_LIMITED',
  // For a query parameter that is unknown.
  'VALIDATION_FAILED',
  'INTERNAL_ERROR',
];

/** Every code that a route may answer: its own, and those of the checks before its operation. */
export function declaredErrors({ scope, body, errors }: Route): ReadonlySet<ErrorCode> {
  const scoped: readonly ErrorCode[] = scope === null ? [] : ['INSUFFICIENT_SCOPE'];
  const read: readonly ErrorCode[] = body === undefined ? [] : ['PAYLOAD_TOO_LARGE'];
  return new Set([...COMMON, ...scoped, ...read, ...errors]);
}
