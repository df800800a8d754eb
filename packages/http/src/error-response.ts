import { isTrunklineError, TrunklineError } from '@trunkline/core';
import { isUnavailable, refuse } from '@trunkline/core/spi/http';
import { json, toResponse } from './route-response.ts';

/** An error as callers see it: mostly refusals. */
export type PublicError = Pick<TrunklineError, 'code' | 'message' | 'status' | 'details'>;

interface ErrorFrame {
  readonly requestId: string;
  /** More headers; where the error has one of that name itself (a SEND_BACKLOG's own limit), its own counts. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The error body of the specification ("Errors"), with the headers that its status asks for. */
export function errorResponse(error: PublicError, { requestId, headers = {} }: ErrorFrame): Response {
  const { code, message, status, details } = error;
  const response = json({ error: { code, message, request_id: requestId, ...(details && { details }) } });
  const withHeaders = { ...response, headers: { ...headers, ...response.headers, ...headersOf(error) } };
  return toResponse(withHeaders, { status, requestId });
}

function headersOf({ status, details }: PublicError): Record<string, string> {
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

/** A failure as callers see it: a refusal as it is, and no details of the service's own faults. */
export function publicErrorOf(error: unknown): PublicError {
  if (isTrunklineError(error)) return error;
  return isUnavailable(error) ? unavailable() : internalError();
}

/** Contains nothing but the request id, by which the failure is found in the log. */
function internalError(): TrunklineError {
  return new TrunklineError(
    refuse('INTERNAL_ERROR', 'Something went wrong. Quote the request id when you report it.').refusal,
  );
}

/** The response for an unknown path. The key is not checked: such a path is the same for every caller. */
export function notFound(requestId: string): Response {
  const { refusal } = refuse('NOT_FOUND', 'There is nothing at this path.');
  return errorResponse(new TrunklineError(refusal), { requestId });
}

/** The path exists, the method does not. OPTIONS is one of them: CORS is the embedder's, in front of this app. */
export function methodNotAllowed(requestId: string, allow: string): Response {
  const { refusal } = refuse('METHOD_NOT_ALLOWED', `The methods of this path are: ${allow}.`);
  return errorResponse(new TrunklineError(refusal), { requestId, headers: { Allow: allow } });
}

/** Seconds: about what a database takes to be back. */
const UNAVAILABLE_RETRY_AFTER = 5;

/**
 * The response to an `UnavailableError`. The specification lists one code for 503, which is about the messaging
 * network. INTERNAL_ERROR, whose status it leaves open, is the true one here, and the status says to come back.
 */
export function unavailable(): PublicError {
  return {
    code: 'INTERNAL_ERROR',
    status: 503,
    message: 'The service cannot reach its database or its files at the moment. Retry later.',
    details: { retry_after: UNAVAILABLE_RETRY_AFTER },
  };
}
