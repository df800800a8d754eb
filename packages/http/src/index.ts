export { createHttpApp } from './http-app.ts';
export { createGuard } from './guard.ts';
export type { Admission, RequestGuard } from './request-guard.ts';
export type { RateLimitOptions, RateLimitStore } from './rate-limit-options.ts';
export { postgresRateLimitStore } from './postgres-rate-limit-store.ts';
export type { PostgresRateLimitOptions } from './postgres-rate-limit-store.ts';
export type { PostgresQueryable } from './postgres-rate-limit-store.ts';
export type { FailedRequest, HttpAppOptions } from './http-options.ts';
export type { ServedTrunkline } from './serve-route.ts';
