// For packages next to the API that handle requests and responses in the same way, such as `@trunkline/dashboard`.
// Unlike the exports of `@trunkline/http`, these may change in a minor version.
export { checkContentEncoding } from '../content-encoding.ts';
export { errorHeaders, errorResponse, methodNotAllowed, notFound, publicErrorOf } from '../error-response.ts';
export type { PublicError } from '../error-response.ts';
export { logFailure } from '../log-failure.ts';
export { createRateLimit } from '../rate-limit.ts';
export type { RateLimit } from '../rate-limit.ts';
export { rateLimitOption } from '../rate-limit-options.ts';
export type { CheckedRateLimit } from '../rate-limit-options.ts';
export { readJsonBody } from '../request-body.ts';
export type { JsonObject } from '../request-body.ts';
export { requestIdOf } from '../request-id.ts';
export { sharedBytes } from '../shared-bytes.ts';
export * as RESOURCES from '../schemas/resources.ts';
export { ROUTES } from '../routes/all-routes.ts';
export type { Route } from '../routes/route.ts';
