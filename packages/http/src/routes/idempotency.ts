import type { ActionOptions } from '@trunkline/core';
import type { Context } from 'hono';
import type { RouteResponse } from '../route-response.ts';

export function keyOf(c: Context): ActionOptions {
  return { idempotencyKey: c.req.header('Idempotency-Key') };
}

/** Marks the response to a request that was accepted before, by the same request. */
export function withReplay(response: RouteResponse, replayed: boolean): RouteResponse {
  if (!replayed) return response;
  return { ...response, status: 200, headers: { ...response.headers, 'Idempotent-Replayed': 'true' } };
}
