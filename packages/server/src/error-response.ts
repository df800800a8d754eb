import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { isTrunklineError, TrunklineError } from '@trunkline/core';
import { refuse } from '@trunkline/core/spi/http';
import type { ErrorCode, Logger } from '@trunkline/core';

/** Errors of paths outside `/api/v1` have the same shape as the API's errors. */
export function errorResponse(c: Context, error: TrunklineError): Response {
  const { code, message, status, details } = error;
  if (status === 401) c.header('WWW-Authenticate', 'Bearer');
  if (status === 429) c.header('Retry-After', String(details?.retry_after));
  const requestId = c.get('requestId') ?? null;
  const body = { error: { code, message, request_id: requestId, ...(details && { details }) } };
  return c.json(body, status as ContentfulStatusCode); // no error code has a status without a body
}

export function refused(code: ErrorCode, message: string): TrunklineError {
  return new TrunklineError(refuse(code, message).refusal);
}

const REQUEST_FAILED =
  'a request failed through no fault of its caller: fix the cause in err, or report it as a defect; the response has the same requestId';

/**
 * The handler for `app.onError`. Any error other than a refusal becomes INTERNAL_ERROR, and its cause goes only to the
 * log.
 */
export function respondWithErrors(logger: Logger): (error: Error, c: Context) => Response {
  return (error, c) => {
    if (isTrunklineError(error)) return errorResponse(c, error);
    const request = { requestId: c.get('requestId'), method: c.req.method, path: c.req.path };
    logger.error({ ...request, err: error }, REQUEST_FAILED);
    return errorResponse(
      c,
      refused('INTERNAL_ERROR', 'Something went wrong; look for the request id in the log of the server.'),
    );
  };
}
