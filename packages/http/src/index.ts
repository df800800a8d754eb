export { createHttpApp } from './http-app.ts';
export type { RateLimitOptions, RateLimitStore } from './rate-limit-options.ts';
export type { FailedRequest, HttpAppOptions } from './http-options.ts';
export type { ServedTrunkline } from './serve-route.ts';
