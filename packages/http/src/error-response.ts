import { isTrunklineError, TrunklineError } from '@trunkline/core';
import { isUnavailable, refuse } from '@trunkline/core/spi/http';
import { json, toResponse } from './route-response.ts';

/** An error as callers see it, usually a refusal. */
export type PublicError = Pick<TrunklineError, 'code' | 'message' | 'status' | 'details'>;

interface ErrorFrame {
  readonly requestId: string;
  /** Additional headers. The error's own headers take precedence, because SEND_BACKLOG reports a limit of its own. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The error body of the specification ("Errors"), with the headers that its status requires. */
export function errorResponse(error: PublicError, { requestId, headers = {} }: ErrorFrame): Response {
  const { code, message, status, details } = error;
  const response = json({ error: { code, message, request_id: requestId, ...(details && { details }) } });
  const withHeaders = { ...response, headers: { ...headers, ...response.headers, ...errorHeaders(error) } };
  return toResponse(withHeaders, { status, requestId });
}

/** The headers that the status of an error requires. */
export function errorHeaders({ status, details }: PublicError): Record<string, string> {
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' };
  if (status === 503) return { 'Retry-After': String(details?.retry_after ?? UNAVAILABLE_RETRY_AFTER) };
  if (status !== 429) return {};
  return {
    'Retry-After': String(details?.retry_after),
    'X-RateLimit-Limit': String(details?.limit),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(details?.reset),
  };
}

/** A failure as callers see it: refusals unchanged, internal errors without details. */
export function publicErrorOf(error: unknown): PublicError {
  if (isTrunklineError(error)) return error;
  return isUnavailable(error) ? unavailable() : internalError();
}

/** Contains no details, because the request id identifies the failure in the log. */
function internalError(): TrunklineError {
  return new TrunklineError(
    refuse('INTERNAL_ERROR', 'Something went wrong. Quote the request id when you report it.').refusal,
  );
}

/** The response for an unknown path. The key is not checked, because the response is the same for every caller. */
export function notFound(requestId: string): Response {
  const { refusal } = refuse('NOT_FOUND', 'There is nothing at this path.');
  return errorResponse(new TrunklineError(refusal), { requestId });
}

/**
 * The response if the path exists but does not have the method. This includes OPTIONS, because the embedder handles
 * CORS in front of this app.
 */
export function methodNotAllowed(requestId: string, allow: string): Response {
  const { refusal } = refuse('METHOD_NOT_ALLOWED', `The methods of this path are: ${allow}.`);
  return errorResponse(new TrunklineError(refusal), { requestId, headers: { Allow: allow } });
}

/** In seconds: about the time that a database takes to recover. */
const UNAVAILABLE_RETRY_AFTER = 5;

/**
 * The response to an `UnavailableError`. The specification's only code for 503 is about the messaging network, so the
 * code is INTERNAL_ERROR, whose status the specification leaves open. Clients retry a 503.
 */
export function unavailable(): PublicError {
  return {
    code: 'INTERNAL_ERROR',
    status: 503,
    message: 'The service cannot reach its database or its files at the moment. Retry later.',
    details: { retry_after: UNAVAILABLE_RETRY_AFTER },
  };
}
