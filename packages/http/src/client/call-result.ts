import type { ErrorCode, ErrorDetails } from '@trunkline/core';

/** The result of a call. Calls never throw, whatever the service or the network does. */
export type CallResult<Reply> = (Success & Reply) | Failure;

/** A call that succeeded. The other fields are those of the response. */
export interface Success {
  /** Distinguishes successes from failures. */
  readonly ok: true;
  /** The `X-Request-Id` of the response, to quote when you report a problem. */
  readonly requestId: string | null;
}

/** A call that failed. */
export interface Failure {
  /** Distinguishes failures from successes. */
  readonly ok: false;
  /** Why the call failed. */
  readonly error: ApiError;
}

/**
 * Why a call failed. Branch on `code`; `message` is for people. A service that is newer than this package may send
 * codes that the type does not list: handle these, too.
 */
export interface ApiError {
  /** The code of the refusal, or of the problem that kept the client from getting a response. */
  readonly code: ErrorCode | ClientErrorCode;
  /** The status of the response; null if there was none. */
  readonly status: number | null;
  /** The reason, for people. */
  readonly message: string;
  /** The `X-Request-Id` of the response, to quote when you report a problem; null if there was none. */
  readonly requestId: string | null;
  /** `fields` on VALIDATION_FAILED, `retry_after` in seconds on 429. */
  readonly details: ErrorDetails;
  /** The error that was caught, on NETWORK_ERROR and ABORTED. */
  readonly cause?: unknown;
}

/** The codes that the client adds to those of the API. */
export type ClientErrorCode =
  /** No response: whether the request was carried out is unknown. */
  | 'NETWORK_ERROR'
  /** The caller's signal has aborted the call: whether the request was carried out is unknown. */
  | 'ABORTED'
  /** The response does not come from the API, but from a proxy in between, or the `baseUrl` is wrong. */
  | 'UNEXPECTED_RESPONSE';

/** An error that the client itself has to report. */
export function clientFailure(
  code: ClientErrorCode,
  message: string,
  more: Partial<Pick<ApiError, 'status' | 'requestId' | 'cause'>> = {},
): Failure {
  return { ok: false, error: { code, status: null, message, requestId: null, details: {}, ...more } };
}

/** A failed call as an exception: thrown by `unwrap` and by the iterators, which have no result to return. */
export class ClientError extends Error {
  /** The code of the error, to branch on. */
  readonly code: ApiError['code'];
  /** The error of the call's result. */
  readonly error: ApiError;
  /** Distinguishes these errors from others, also across duplicate installs of this package. */
  readonly isClientError: true = true;

  constructor(error: ApiError) {
    super(`${error.code}: ${error.message}`, error.cause === undefined ? {} : { cause: error.cause });
    this.name = 'ClientError';
    this.code = error.code;
    this.error = error;
  }
}

/** Whether this is a `ClientError`, of any copy of this package. */
export function isClientError(error: unknown): error is ClientError {
  return error instanceof Error && 'isClientError' in error && error.isClientError === true;
}

/** Returns the success of a call, or throws a ClientError if the call failed: for code that prefers exceptions. */
export function unwrap<Reply>(result: CallResult<Reply>): Success & Reply;
export function unwrap(result: Success | Failure): Success {
  if (!result.ok) throw new ClientError(result.error);
  return result;
}
