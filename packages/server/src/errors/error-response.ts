import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { TrunklineError } from '@trunkline/core';
import { refuse } from '@trunkline/core/spi/http';
import type { Logger } from '@trunkline/core';
import { errorHeaders, logFailure, publicErrorOf } from '@trunkline/http/spi';
import type { PublicError } from '@trunkline/http/spi';

/** Errors of paths outside `/api/v1` have the same shape and headers as those of the API. */
export function errorResponse(c: Context, error: PublicError): Response {
  const { code, message, status, details } = error;
  for (const [name, value] of Object.entries(errorHeaders(error))) c.header(name, value);
  const requestId = c.get('requestId') ?? null;
  const body = { error: { code, message, request_id: requestId, ...(details && { details }) } };
  return c.json(body, status as ContentfulStatusCode); // no error code has a status without a body
}

export function refused(...refusal: Parameters<typeof refuse>): TrunklineError {
  return new TrunklineError(refuse(...refusal).refusal);
}

/** The handler for `app.onError`. Errors are shown and logged like those of the API. */
export function respondWithErrors(logger: Logger): (error: Error, c: Context) => Response {
  return (error, c) => {
    const shown = publicErrorOf(error);
    const request = { requestId: c.get('requestId'), method: c.req.method, path: c.req.path };
    if (shown.code === 'INTERNAL_ERROR') logFailure(logger, error, { request });
    return errorResponse(c, shown);
  };
}
