import type { ErrorCode, ErrorDetails } from '@trunkline/core';

/** What a call returns: never an exception, whatever the service or the network does. */
export type CallResult<Reply> = (Success & Reply) | Failure;

export interface Success {
  readonly ok: true;
  /** The `X-Request-Id` of the response, to quote when something has to be found out. */
  readonly requestId: string | null;
}

export interface Failure {
  readonly ok: false;
  readonly error: ApiError;
}

/**
 * Why a call failed. Branch on `code`; `message` is for people. A service that is newer than this package may send
 * codes that the type does not list: keep a default.
 */
export interface ApiError {
  readonly code: ErrorCode | ClientErrorCode;
  /** Of the response; null when there was none. */
  readonly status: number | null;
  readonly message: string;
  readonly requestId: string | null;
  /** `fields` on VALIDATION_FAILED, `retry_after` in seconds on 429. */
  readonly details: ErrorDetails;
  /** What was caught, on NETWORK_ERROR and ABORTED. */
  readonly cause?: unknown;
}

/** The codes that the client adds to those of the API. */
export type ClientErrorCode =
  /** No response: whether the request was carried out is unknown. */
  | 'NETWORK_ERROR'
  /** The caller's signal has ended the call: whether the request was carried out is unknown. */
  | 'ABORTED'
  /** A response that is not the API's: of a proxy in between, or under a wrong `baseUrl`. */
  | 'UNEXPECTED_ANSWER';

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
  readonly code: ApiError['code'];
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

/** Recognises a `ClientError` of any copy of this package. */
export function isClientError(error: unknown): error is ClientError {
  return error instanceof Error && 'isClientError' in error && error.isClientError === true;
}

/** The success of a call, for those who would rather catch: throws a ClientError when it failed. */
export function unwrap<Reply>(result: CallResult<Reply>): Success & Reply;
export function unwrap(result: Success | Failure): Success {
  if (!result.ok) throw new ClientError(result.error);
  return result;
}
