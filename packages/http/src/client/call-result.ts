import type { ErrorCode, ErrorDetails } from '@trunkline/core';

/** The result of a call. Calls never throw, whatever the service or the network does. */
export type CallResult<Reply> = (Success & Reply) | Failure;

/** A call that succeeded. Each call adds its own fields, such as `data`. */
export interface Success {
  /** Distinguishes successes from failures. */
  readonly ok: true;
  /** The `X-Request-Id` of the response, to quote when you report a problem; null if absent. */
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
  /** The error code of the API, or of the client if there is no usable response. */
  readonly code: ErrorCode | ClientErrorCode;
  /** The HTTP status of the response; null on NETWORK_ERROR and ABORTED, and if the content of a stream is invalid. */
  readonly status: number | null;
  /** The reason in words. */
  readonly message: string;
  /** The `X-Request-Id` of the response, to quote when you report a problem; null if absent. */
  readonly requestId: string | null;
  /** For example `fields` on VALIDATION_FAILED, `retry_after` (seconds) on 429. */
  readonly details: ErrorDetails;
  /** The caught error on NETWORK_ERROR; the signal's reason on ABORTED. */
  readonly cause?: unknown;
}

/** The codes that the client adds to those of the API. */
export type ClientErrorCode =
  /** No complete response arrived. The request may have been carried out. */
  | 'NETWORK_ERROR'
  /** The caller's signal aborted the call. The request may have been carried out. */
  | 'ABORTED'
  /** The response does not come from the API: a proxy in between sent it, or the `baseUrl` is wrong. */
  | 'UNEXPECTED_RESPONSE';

export function clientFailure(
  code: ClientErrorCode,
  message: string,
  more: Partial<Pick<ApiError, 'status' | 'requestId' | 'cause'>> = {},
): Failure {
  return { ok: false, error: { code, status: null, message, requestId: null, details: {}, ...more } };
}

/** A failed call as an exception. Thrown by `unwrap`, and by the iterators, which cannot return a result. */
export class ClientError extends Error {
  /** The code of the error, to branch on. */
  readonly code: ApiError['code'];
  /** The error of the failed call. */
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

/** Whether the error is a `ClientError`, from any copy of this package. */
export function isClientError(error: unknown): error is ClientError {
  return error instanceof Error && 'isClientError' in error && error.isClientError === true;
}

/** Returns the result of a call that succeeded, and throws a ClientError for a call that failed. */
export function unwrap<Reply>(result: CallResult<Reply>): Success & Reply;
export function unwrap(result: Success | Failure): Success {
  if (!result.ok) throw new ClientError(result.error);
  return result;
}
